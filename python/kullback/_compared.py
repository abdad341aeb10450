"""Fits to the same observations, by how well they predict each when it is left out; how far apart two posteriors are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _engine, _json, errors
from ._commands import option_words
from ._fit import Fit
from ._numpy import np
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    FitLike = Union[Fit, str, os.PathLike[str]]


class Comparison(Table):
    """A row for each fit, the best first: elpd (expected log predictive density, by leave-one-out), its se, elpd_diff and se_diff
    (the fit minus the best one), p_loo (effective number of parameters), bad_k (observations whose Pareto k-hat says that
    leaving them out cannot be estimated).

    pointwise, khat  of each fit by name: an array with a number for each observation
    """

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        names = ("elpd", "se", "elpd_diff", "se_diff", "p_loo", "bad_k")
        columns = {"fit": np.array([row["fit"] for row in rows], dtype=str)}
        columns.update({name: np.array([row[name] for row in rows]) for name in names})
        super().__init__(columns, "fit")
        self.pointwise = {row["fit"]: np.array(row["pointwise"], dtype=float) for row in rows}
        self.khat = {row["fit"]: np.array(row["khat"], dtype=float) for row in rows}


class Distance(Table):
    """A row for each parameter of both fits, those furthest beyond their noise first: distance (Wasserstein-1 of the marginals in
    posterior sds) and its noise, p_value, shift and sd_ratio of the second fit with their errors, largest_gap between the
    distribution functions, effective sizes, and whether it differs, of all tests together.

    verdict, p_value               "differ", "no difference found" or "same draws"
    joint                          sliced_wasserstein, mmd_squared, gaussian_kl, each with value, noise and p_value; None where
                                   there are too few draws
    only_in_first, only_in_second  names of parameters that one fit alone has
    constant                       names of those that are the same constant in both
    largest_rhat                   of the compared parameters, in either fit
    """

    def __init__(self, found: dict[str, Any]) -> None:
        rows = found["parameters"]
        super().__init__({name: np.array([row[name] for row in rows]) for name in rows[0]})
        self.verdict: str = found["verdict"]
        self.p_value: float = found["p_value"]
        self.joint: dict[str, Any] | None = found["joint"]
        self.only_in_first: list[str] = found["only_in_first"]
        self.only_in_second: list[str] = found["only_in_second"]
        self.constant: list[str] = found["constant"]
        self.largest_rhat: float = found["largest_rhat"]


def _named(fits: tuple[FitLike | Mapping[str, FitLike], ...]) -> dict[str, FitLike]:
    """Fits by name: as they are given, by their folders, by their places."""
    named: dict[str, FitLike] = {}
    for place, fit in enumerate(fits, start=1):
        if isinstance(fit, Mapping):
            named.update(fit)
        elif isinstance(fit, Fit):
            named[f"fit {place}"] = fit
        else:
            named[os.fspath(fit)] = fit
    return named


def _folder_of(fit: FitLike, place: str) -> str:
    """Where the fit is; one that is in memory is written to `place`."""
    if isinstance(fit, Fit):
        return fit.folder or fit.save(place)
    return os.fspath(fit)


def compare(*fits: FitLike | Mapping[str, FitLike], **options: Any) -> Comparison | Distance:
    named = _named(fits)
    if len(named) < 2:
        raise errors.made(errors.UsageError, f"compare needs two fits or more; found {len(named)}.", "kb.compare(one, other)")
    if options.get("distance") and len(named) > 2:
        message = f"a distance is between two fits; found {len(named)}."
        raise errors.made(errors.UsageError, message, "kb.compare(one, other, distance=True)")
    with _engine.scratch_folder() as scratch:
        folder_of = {}
        for place, (name, fit) in enumerate(named.items()):
            folder_of[name] = _folder_of(fit, os.path.join(scratch, str(place)))
        text = _engine.run(["compare", *folder_of.values(), "--json", *option_words(options, scratch)])[1]
    rows = _json.parse(text, "kullback compare")
    if options.get("distance"):
        return Distance(rows[0])
    waiting = list(folder_of.items())
    for row in rows:  # a folder may be there twice
        place = next(i for i, (_, folder) in enumerate(waiting) if folder == row["fit"])
        row["fit"] = waiting.pop(place)[0]
    return Comparison(rows)
