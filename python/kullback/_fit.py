"""From a program and data to a posterior."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Iterator, Mapping

from . import _json, _library, _verbs, errors
from ._advice import as_arguments
from ._columns import Variable, as_array, display_name, find_variables
from ._data import as_mapping, is_path, object_text
from ._model import Model
from ._numpy import np
from ._progress import Display
from ._watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from ._data import Data
    from ._program import ProgramLike
    from ._table import Table
    from ._verdict import Certificate, Findings

_SHOWN_ROWS = 40


class Fit:
    """Draws of a posterior, with what is known of their errors. fit["theta"] is an array [draws, ...] of all chains."""

    def __init__(self, handle: ctypes.c_void_p, folder: str | None = None, data: Data = None) -> None:
        self._library = _library.library()
        self._handle = handle
        self.folder = folder
        self._data = data
        self.chains: int = self._library.kb_fit_chains(handle)
        self.draws_per_chain: int = self._library.kb_fit_draws(handle)
        self._column_names = _library.split_names(self._library.kb_fit_names(handle))
        self._variables = {variable.name: variable for variable in find_variables(self._column_names)}
        self._chosen: np.ndarray | None = None
        self._holder: Any = None  # of a temporary folder

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.kb_fit_free(self._handle)
            self._handle = ctypes.c_void_p()

    # ---- what was found ----

    @property
    def record(self) -> dict[str, Any]:
        """The account of the run, as run.json has it: method, seed, options, facts, rungs of the ladder, status."""
        return _json.parse(self._library.kb_fit_record(self._handle), self._file("run.json"))

    @property
    def method(self) -> str:
        return self.record["method"]

    @property
    def seed(self) -> int:
        return self.record["seed"]

    @property
    def certificate(self) -> Certificate | None:
        """How wrong the draws may be; None where no tolerance was given."""
        from ._verdict import Certificate

        text = self._library.kb_fit_certificate(self._handle)
        name = self._file("certificate.json")
        return Certificate(_json.parse(text, name), name) if text else None

    @property
    def findings(self) -> Findings:
        """What is wrong, in words; empty where nothing is."""
        from ._verdict import Findings

        return Findings(self._summary().get("findings", []))

    def _summary(self) -> dict[str, Any]:
        return _json.parse(self._library.kb_fit_summary(self._handle), self._file("summary.json"))

    def _check(self) -> None:
        """Raises InputError where the certificate of a folder that was loaded is damaged; the rest the library has checked."""
        self.certificate

    def _file(self, name: str) -> str:
        """What messages call a file of the result."""
        return os.path.join(self.folder, name) if self.folder is not None else name

    def summary(self) -> Table:
        """A row for each scalar: mean, mcse_mean, sd, q5, q50, q95, and of chains ess_bulk, ess_tail, rhat."""
        from ._table import Table

        rows = self._summary()["parameters"]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {}
        for name in names:
            values = [row.get(name, float("nan")) for row in rows]
            columns[name] = np.array(values, dtype=str) if name == "name" else np.array(values, dtype=float)
        return Table(columns)

    def __repr__(self) -> str:
        return as_arguments(self._library.kb_fit_text(self._handle).decode("utf-8", "replace").rstrip("\n"))

    def _repr_html_(self) -> str:
        import html

        from ._table import html_table

        head = html.escape(repr(self).partition("\n")[0])
        certificate = self.certificate
        parts = [f"<p><b>{head}</b></p>", html_table(self.summary()._texts(_SHOWN_ROWS), len(self.summary()))]
        parts.append(self.findings._repr_html_())
        if certificate is not None:
            parts.append(certificate._repr_html_())
        return "".join(parts)

    # ---- draws ----

    @property
    def names(self) -> list[str]:
        """Of the variables: parameters, transformed parameters, generated quantities."""
        return list(self._variables)

    @property
    def columns(self) -> list[str]:
        """Of the scalars: "mu", "theta[1]", ..."""
        return [display_name(name) for name in self._column_names]

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __getitem__(self, name: str) -> np.ndarray:
        """Draws of equal weight, [draws, ...], chain after chain. Draws with weights are resampled by them first, all
        variables alike, so that means of what this returns are those of the table but for the noise of that."""
        merged = self.draws(name)
        merged = merged.reshape(-1, *merged.shape[2:])
        return merged if self.weights is None else merged[self._resampled()]

    def draws(self, name: str) -> np.ndarray:
        """The draws as they are, [chain, draw, ...]; `weights` belong to them."""
        variable = self._variable(name)
        columns = np.empty((self.chains, self.draws_per_chain, variable.size))
        _library.call("kb_fit_columns_copy", self._handle, variable.first, variable.size, columns.ctypes.data)
        return as_array(columns, variable.dims)

    def _variable(self, name: str) -> Variable:
        if name in self._variables:
            return self._variables[name]
        if name in self.columns:
            return Variable(name, (), self.columns.index(name), 1)
        raise KeyError(f"there is no variable {name!r}; there are {', '.join(self._variables)}")

    @property
    def stat_names(self) -> list[str]:
        """What stat() takes."""
        found = _library.split_names(self._library.kb_fit_stat_names(self._handle))
        return found + [name for name in ("lp__", "log_q", "log_weight") if name not in found and self._has(name)]

    def _has(self, name: str) -> bool:
        return self._stat(name) is not None

    def stat(self, name: str) -> np.ndarray:
        """A number of each draw, [chain, draw]: "lp__" (log density), "log_q", "log_weight", "divergent__", ..."""
        values = self._stat(name)
        if values is None:
            raise KeyError(f"the draws have no {name!r}; there are {', '.join(self.stat_names)}")
        return values

    def _stat(self, name: str) -> np.ndarray | None:
        values = np.empty((self.chains, self.draws_per_chain))
        try:
            _library.call("kb_fit_stat", self._handle, name.encode(), values.ctypes.data)
        except errors.UsageError:
            return None
        return values

    @property
    def weights(self) -> np.ndarray | None:
        """Of all draws, chain after chain, with the sum 1; None where all weigh the same."""
        log_weight = self._stat("log_weight")
        if log_weight is None or log_weight.size == 0:
            return None
        weights = np.exp(log_weight.ravel() - log_weight.max())
        return weights / weights.sum()

    def _resampled(self) -> np.ndarray:
        """Of draws with weights: which of them stand for all, as in chain-1.csv and posterior.nc."""
        if self._chosen is None:
            chosen = np.empty(self.chains * self.draws_per_chain, dtype=np.uintp)
            _library.call("kb_fit_equal_weights", self._handle, chosen.ctypes.data)
            self._chosen = chosen
        return self._chosen

    # ---- what is done with it ----

    predict = _verbs.predict
    certify = _verbs.certify

    def diagnose(self) -> str:
        """What `kullback diagnose` prints: the sampler's figures, the worst variables, what was found."""
        from . import _engine

        with _engine.scratch_folder() as scratch:
            return _engine.run(["diagnose", self.folder or self.save(os.path.join(scratch, "fit"))])[1]

    # ---- elsewhere ----

    def to_arviz(self) -> Any:
        """What the installed ArviZ works on: an InferenceData, or from ArviZ 1 on an xarray.DataTree."""
        from ._arviz import to_arviz

        return to_arviz(self)

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> str:
        """Writes the folder that `kullback fit --out` leaves. One that exists is refused unless `force`."""
        path = os.fspath(folder)
        _library.call("kb_fit_write", self._handle, os.fsencode(path), bool(force))
        return path

    def report(self, path: str | os.PathLike[str] = "report.html") -> str:
        """One HTML file that shows the fit; returns its path."""
        if self.folder is not None:
            return _library.write_report(self.folder, path)
        import tempfile

        with tempfile.TemporaryDirectory(prefix="kullback-") as scratch:
            return _library.write_report(self.save(os.path.join(scratch, "fit")), path)

    @property
    def data(self) -> Mapping[str, Any] | None:
        """What was given as data, by name; None where it is not known (a folder that was loaded)."""
        if self._data is None:
            return None
        if is_path(self._data):
            return _json.read_object(os.fspath(self._data))
        return _json.parse(self._data, "data") if isinstance(self._data, str) else as_mapping(self._data)


def _option_text(name: str, value: Any) -> bytes:
    """As JSON: numbers of NumPy are Python's, paths are text; values of parameters (init) go as data do."""
    if name == "init" and isinstance(value, Mapping):
        return object_text(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join(_option_text(name, item) for item in value) + b"]"
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, (bool, int, float, str)):
        return json.dumps(value).encode()
    raise errors.made(errors.UsageError, f"{name} is {type(value).__name__}; needed a number or text.")


def options_text(options: Mapping[str, Any]) -> bytes:
    """target_accept=0.9 is --target-accept 0.9; None is as if not given."""
    given = (
        json.dumps(name.replace("_", "-")).encode() + b":" + _option_text(name, value)
        for name, value in options.items()
        if value is not None
    )
    return b"{" + b",".join(given) + b"}"


if TYPE_CHECKING:
    AnyFit = TypeVar("AnyFit", bound=Fit)


def read_fit(folder: str, data: Data = None, holder: Any = None, kind: type[AnyFit] = Fit) -> AnyFit:  # type: ignore[assignment]
    """Of a folder with draws."""
    handle = ctypes.c_void_p()
    _library.call("kb_fit_read", os.fsencode(folder), ctypes.byref(handle))
    fit = kind(handle, folder, data)
    fit._holder = holder
    return fit


def _random_seed() -> int:
    return int.from_bytes(os.urandom(4), "little")


def _run(model: Model, options: Mapping[str, Any], progress: bool | None, data: Data) -> Fit:
    handle = ctypes.c_void_p()
    words = options_text(options)
    with Watch(Display(str(options.get("method") or "auto"), progress)) as watch:
        status = _library.call("kb_fit_run", model._handle, words, watch.callback, None, ctypes.byref(handle))
    out = options.get("out")
    fit = Fit(handle, None if out is None else os.fspath(out), data) if handle else None
    if watch.caught is not None:
        raise watch.caught
    if status == errors.CANCELLED or watch.is_interrupted:
        drawn = fit.chains * fit.draws_per_chain if fit is not None else 0
        raise errors.Interrupted(f"the fit was interrupted after {drawn} draws; 'fit' of this exception holds them", fit)
    assert fit is not None
    return fit


def fit(
    program: ProgramLike | Model,
    data: Data = None,
    *,
    seed: int | None = None,
    init: float | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    include_paths: Iterable[str | os.PathLike[str]] = (),
    max_memory: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Fit:
    chosen = _random_seed() if seed is None else seed
    if isinstance(program, Model):
        if data is not None:
            raise errors.made(errors.UsageError, "a Model has its data; others were given.", "kb.fit(model, seed=1)")
        model, data = program, program._data
    else:
        model = Model(program, data, include_paths=include_paths, max_memory=max_memory, seed=chosen)
    return _run(model, {"seed": chosen, **options, "init": init}, progress, data)
