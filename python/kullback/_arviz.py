"""A fit as what ArviZ works on: the groups and names of posterior.nc (docs/results.md), and for approximations the group
`approximation`."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _json, errors
from ._columns import Variable
from ._numbers import as_doubles

if TYPE_CHECKING:
    from ._fit import Fit

_STATS = {
    "accept_stat__": ("acceptance_rate", np.float64),
    "stepsize__": ("step_size", np.float64),
    "treedepth__": ("tree_depth", np.int64),
    "n_leapfrog__": ("n_steps", np.int64),
    "divergent__": ("diverging", np.bool_),
    "energy__": ("energy", np.float64),
    "lp__": ("lp", np.float64),
    "log_q": ("lp_approx", np.float64),
}


def _group_of(variable: Variable, parameters: int, generated: int) -> str:
    name = variable.name
    if variable.first >= parameters and name.startswith("log_lik"):
        return "log_likelihood"
    is_predictive = name.startswith("y_rep") or name.endswith(("_rep", "_tilde", "_pred"))
    return "posterior_predictive" if variable.first >= generated and is_predictive else "posterior"


def _free(name: str, taken: set[str]) -> str:
    """A name that a dimension has gets an underscore."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _dataset(variables: dict[str, np.ndarray], attributes: dict[str, Any], lead: tuple[str, ...]) -> Any:
    import xarray

    taken = set(lead)
    made = {}
    for name, values in variables.items():
        own = _free(name, taken)
        dims = [*lead, *(_free(f"{name}_dim_{i}", taken) for i in range(values.ndim - len(lead)))]
        made[own] = (dims, values)
    sizes = {dim: size for dims, values in made.values() for dim, size in zip(dims, values.shape)}
    coords = {dim: np.arange(size) for dim, size in sizes.items()}
    return xarray.Dataset(made, coords=coords, attrs=attributes)


def _attributes(fit: Fit) -> dict[str, Any]:
    record = fit.record
    return {
        "created_at": record["started"],
        "creation_library": "kullback",
        "creation_library_version": record["version"],
        "inference_library": "kullback",
        "inference_library_version": record["version"],
        "method": record["method"],
        "program": record["program"],
        "data": record["data"],
        "seed": str(record["seed"]),
        "sampling_time": record["seconds"],
    }


def _draws(fit: Fit, values: np.ndarray) -> np.ndarray:
    """Draws with weights become draws of equal weight, as ArviZ knows no others: one chain, resampled."""
    if fit.weights is None:
        return values
    return values.reshape(-1, *values.shape[2:])[fit._resampled()][np.newaxis]


def _statistics(fit: Fit) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    lost = ("log_q", "log_weight") if fit.weights is not None else ()  # drawn by weights, no draws of q
    for name in fit.stat_names:
        known, kind = _STATS.get(name, (name[:-2] if name.endswith("__") else name, np.float64))
        if name not in lost:
            found[known] = _draws(fit, fit.stat(name)).astype(kind)
    return found


def _facts(fit: Fit) -> dict[str, Any]:
    """What the run says of itself: elbo, elbo_standard_error, khat, family, ... Numbers where they are."""
    facts: dict[str, Any] = {}
    for name, value in fit.record["facts"].items():
        try:
            facts[name.replace(" ", "_")] = float(value)
        except (TypeError, ValueError):
            facts[name.replace(" ", "_")] = str(value)
    certificate = fit.certificate
    if certificate is not None:
        facts["verdict"] = certificate.verdict
        facts["tolerance"] = certificate.tolerance
        facts["certified"] = certificate.certified
        facts["certificate"] = json.dumps(certificate.record)
        elbo = (certificate.evidence or {}).get("elbo")
        if "elbo" not in facts and elbo is not None:
            facts["elbo"] = float(_json.need(elbo, "value", (int, float), "certificate.json"))
    return facts


def _approximation(fit: Fit, attributes: dict[str, Any]) -> Any:
    """The draws of q as they came, with log p and log q of each: what importance weights are made of."""
    variables = {name: fit.draws(name) for name in fit.names}
    variables["log_p"] = fit.stat("lp__")
    variables["log_q"] = fit.stat("log_q")
    if "log_weight" in fit.stat_names:
        variables["log_weight"] = fit.stat("log_weight")
    return _dataset(variables, {**attributes, **_facts(fit)}, ("chain", "draw"))


def _data(fit: Fit, attributes: dict[str, Any]) -> dict[str, Any]:
    """observed_data, which the program models (left of ~, or before the bar of a density), and constant_data, the rest: from memory,
    or of a folder that was loaded from its posterior.nc. A group without variables is left out."""
    if fit.data is None:
        path = os.path.join(fit.folder, "posterior.nc") if fit.folder else ""
        return _stored_data(path) if os.path.exists(path) else {}
    observed = {shape["name"] for shape in fit.record["data_variables"] if shape["observed"]}
    groups: dict[str, dict[str, np.ndarray]] = {"observed_data": {}, "constant_data": {}}
    for name, value in fit.data.items():
        if _is_array(value):
            groups["observed_data" if name in observed else "constant_data"][name] = _numbers(name, value)
    return {name: _dataset(variables, attributes, ()) for name, variables in groups.items() if variables}


def _stored_data(path: str) -> dict[str, Any]:
    import xarray

    found = {}
    for group in ("observed_data", "constant_data"):
        try:
            with xarray.open_dataset(path, group=group) as data:
                found[group] = data.load()
        except (OSError, ValueError, ImportError, KeyError) as problem:
            if "group not found" not in str(problem):  # none of that kind
                warnings.warn(f"to_arviz: {group} is left out, as {path} cannot be read: {problem}", stacklevel=2)
    return found


def _numbers(name: str, value: Any) -> np.ndarray:
    """Whole numbers stay whole."""
    values = as_doubles(name, value)
    return values.astype(np.int64) if np.asarray(value).dtype.kind in "iub" else values


def _is_array(value: Any) -> bool:
    """Not a tuple of Stan, which no variable of xarray can be."""
    while isinstance(value, list) and value:
        value = value[0]
    return not isinstance(value, dict)


def groups(fit: Fit) -> dict[str, Any]:
    """Datasets of xarray by the name of their group."""
    attributes = _attributes(fit)
    record = fit.record
    parts: dict[str, dict[str, np.ndarray]] = {"posterior": {}}
    for variable in fit._variables.values():
        group = _group_of(variable, record["parameters"], record["generated"])
        parts.setdefault(group, {})[variable.name] = _draws(fit, fit.draws(variable.name))
    made = {name: _dataset(variables, attributes, ("chain", "draw")) for name, variables in parts.items()}
    made["posterior"].attrs.update(_facts(fit))
    made["sample_stats"] = _dataset(_statistics(fit), attributes, ("chain", "draw"))
    if "log_q" in fit.stat_names:
        made["approximation"] = _approximation(fit, attributes)
    made.update(_data(fit, attributes))
    return made


def to_arviz(fit: Fit) -> Any:
    try:
        import arviz
        import xarray
    except ImportError as problem:
        raise errors.made(
            errors.UsageError, f"to_arviz() needs ArviZ: {problem}.", "Install it: pip install arviz"
        ) from None
    made = groups(fit)
    if int(arviz.__version__.partition(".")[0]) < 1:  # later the name is that of a DataTree
        return arviz.InferenceData(**made)
    return xarray.DataTree.from_dict({f"/{name}": dataset for name, dataset in made.items()})
