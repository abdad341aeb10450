"""Verbs of a program besides fit: each starts `kullback VERB PROGRAM DATA` and reads the folder that it leaves."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _engine, _json
from ._commands import option_words, program_file
from ._data import data_text, is_path
from ._fit import Fit, read_fit
from ._load import read_record
from ._numpy import np
from ._progress import is_shown
from ._result import Kept, Result
from ._table import Table
from ._verdict import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._data import Data
    from ._program import ProgramLike



class Simulation(Fit):
    """Draws of parameters and data from the prior: simulation["y"] is an array [draws, ...].

    data_sets   of the first draws, as many as were asked for: data for kb.fit, each a dict
    parameters  what made them, each a dict
    """

    @property
    def data_sets(self) -> list[dict[str, Any]]:
        return self._sets("data")

    @property
    def parameters(self) -> list[dict[str, Any]]:
        return self._sets("params")

    def _sets(self, stem: str) -> list[dict[str, Any]]:
        assert self.folder is not None
        found: list[dict[str, Any]] = []
        while os.path.exists(path := os.path.join(self.folder, f"{stem}-{len(found) + 1}.json")):
            values = _json.read_object(path)
            found.append({name: np.array(value) if isinstance(value, list) else value for name, value in values.items()})
        return found


class Calibration(Result):
    """Whether a method is right on data that the program's prior makes.

    verdict, is_ok       "ok" where nothing is wrong with any parameter
    parameters           a table: bias, spread and the tests of each scalar, with its verdict
    ranks                of each scalar by name: where the truth lies among the draws of its posterior, from 0 to 1, an array
                         [simulations]; uniform where the method is right
    simulations, fitted  data sets that were made, and those that could be fitted
    """

    @property
    def figures(self) -> dict[str, Any]:
        """calibration.json, as a dict."""
        return self._object("calibration.json")

    @property
    def verdict(self) -> str:
        return str(self.figures["verdict"])

    @property
    def is_ok(self) -> bool:
        return self.verdict == "ok"

    @property
    def simulations(self) -> int:
        return int(self.figures["simulations"])

    @property
    def fitted(self) -> int:
        return int(self.figures["fitted"])

    @property
    def parameters(self) -> Table:
        rows = _json.need_objects(self.figures, "parameters", "calibration.json")
        names = [name for name in rows[0] if name != "u"] if rows else []
        texts = ("name", "verdict")
        return Table({n: np.array([row[n] for row in rows], dtype=str if n in texts else float) for n in names})

    @property
    def ranks(self) -> dict[str, np.ndarray]:
        rows = _json.need_objects(self.figures, "parameters", "calibration.json")
        return {row["name"]: np.array(row["u"], dtype=float) for row in rows}

    def __repr__(self) -> str:
        head = f"{self.record['method']}: {self.verdict} ({self.fitted} of {self.simulations} simulations fitted)"
        return f"{head}\n\n{self.parameters!r}" if len(self.parameters) else head


class Optimum(Mapping[str, Any]):
    """The most probable parameters: mode["mu"] is a number, mode["theta"] an array, dict(mode) all by name.

    log_density  at the mode
    fit          the same as a Fit with one draw
    findings     what is wrong
    """

    def __init__(self, fit: Fit) -> None:
        self.fit = fit

    def __getitem__(self, name: str) -> Any:
        value = self.fit.draws(name)[0, 0]
        return value if np.ndim(value) else float(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self.fit)

    def __len__(self) -> int:
        return len(self.fit.names)

    @property
    def log_density(self) -> float:
        return float(self.fit.stat("lp__")[0, 0])

    @property
    def findings(self) -> Findings:
        return self.fit.findings

    @property
    def record(self) -> dict[str, Any]:
        return self.fit.record

    @property
    def folder(self) -> str | None:
        return self.fit.folder

    def summary(self) -> Table:
        """A row for each scalar: name, value."""
        rows = self.fit.summary()
        return Table({"name": rows["name"], "value": rows["mean"]})

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> str:
        """Copies the folder to a place that stays; kb.Optimum(kb.load(folder)) reads it."""
        return self.fit.save(folder, force=force)

    def report(self, path: str | os.PathLike[str] = "report.html") -> str:
        """One HTML file that shows it; returns its path."""
        return self.fit.report(path)

    def __repr__(self) -> str:
        parts = [repr(self.summary())] + ([repr(self.findings)] if self.findings else [])
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_() + (self.findings._repr_html_() if self.findings else "")


def _data_files(data: Data, scratch: str) -> list[str]:
    if data is None:
        return []
    if is_path(data):
        return [os.fspath(data)]
    path = os.path.join(scratch, "data.json")
    with open(path, "wb") as file:
        file.write(data_text(data))
    return [path]


def _start(
    verb: str,
    subject: list[str],
    data: Data,
    out: str | os.PathLike[str] | None,
    options: Mapping[str, Any],
    progress: bool | None,
    scratch: str,
) -> tuple[str, Any]:
    """`kullback VERB SUBJECT DATA --out OUT options`: its folder, and what holds that where it is temporary."""
    kept = Kept() if out is None else None
    folder = os.path.join(kept.name, verb) if kept is not None else os.fspath(out)  # type: ignore[arg-type]
    words = [verb, *subject, *_data_files(data, scratch), f"--out={folder}", *option_words(options, scratch)]
    _engine.run(words, shows=is_shown(progress))
    return folder, kept


def _of_program(
    verb: str,
    program: ProgramLike,
    data: Data,
    out: str | os.PathLike[str] | None,
    options: dict[str, Any],
    progress: bool | None,
) -> tuple[str, Any]:
    folders = [os.fspath(path) for path in options.pop("include_paths", ())]
    with _engine.scratch_folder() as scratch:
        subject = [program_file(program, scratch)]
        return _start(verb, subject, data, out, {**options, "include_path": folders or None}, progress, scratch)


def simulate(
    program: ProgramLike,
    data: Data = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Simulation:
    folder, kept = _of_program("simulate", program, data, out, options, progress)
    return read_fit(folder, data, kept, Simulation)


def calibrate(
    program: ProgramLike,
    data: Data = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Calibration:
    folder, kept = _of_program("calibrate", program, data, out, options, progress)
    return Calibration(folder, read_record(folder), None, kept)


def optimize(
    program: ProgramLike,
    data: Data = None,
    *,
    init: float | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Optimum:
    if isinstance(init, Mapping):
        init = data_text(init).decode()  # the engine takes JSON itself, too
    folder, kept = _of_program("optimize", program, data, out, {**options, "init": init}, progress)
    return Optimum(read_fit(folder, data, kept))


def predict_program(
    fit: Fit, data: Data, out: str | os.PathLike[str] | None, options: dict[str, Any], progress: bool | None
) -> Fit:
    """Generated quantities of a fit, drawn anew."""
    if data is None and fit.folder is not None and not os.path.exists(os.path.join(fit.folder, "data.json")):
        data = fit._data  # of an optimum: its folder does not hold them
    with _engine.scratch_folder() as scratch:
        subject = fit.folder or fit.save(os.path.join(scratch, "fit"))
        folder, kept = _start("predict", [subject], data, out, options, progress, scratch)
    return read_fit(folder, data, kept)

