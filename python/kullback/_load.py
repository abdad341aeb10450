"""Any result folder, by what its run.json says it is."""

from __future__ import annotations

import os
from typing import Any

from . import _json, errors
from ._fit import Fit, read_fit
from ._result import Result
from ._version import VERSION


def _has_draws(folder: str, record: dict[str, Any]) -> bool:
    """Of a program: fits, and what `predict` and `simulate` make of it."""
    is_made = record["kind"] in ("predictions", "simulation") and os.path.exists(os.path.join(folder, "chain-1.csv"))
    return record["kind"] == "posterior" or is_made


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdecimal() and len(part) < 10)


def _check_record(record: dict[str, Any], path: str) -> None:
    """What every result's record has; a Fit's is checked by the library too."""
    if "kind" not in record:
        raise _json.damaged(path, "does not say what kind of result this is: it has no 'kind'")
    _json.need(record, "kind", str, path)
    for field in ("version", "program", "data", "method", "status"):
        if field in record:
            _json.need(record, field, str, path)
    if "findings" in record:
        for finding in _json.need_objects(record, "findings", path):
            for field in finding:
                _json.need(finding, field, str, path)


def read_record(folder: str) -> dict[str, Any]:
    """run.json, of a folder that this version can read."""
    path = os.path.join(folder, "run.json")
    if not os.path.isdir(folder):
        what = "is no folder" if os.path.exists(folder) else "does not exist"
        raise errors.made(errors.MissingFileError, f"{folder}: {what}.", "Give the folder that a fit has left.")
    if not os.path.isfile(path):
        raise errors.made(
            errors.MissingFileError, f"{folder}: holds no result: it has no run.json.", "Give the folder that a fit has left."
        )
    record = _json.read_object(path)
    _check_record(record, path)
    version = record.get("version", "")
    if _parts(version) > _parts(VERSION):
        raise errors.made(
            errors.InputError,
            f"{folder}: was made by Kullback {version}; this is {VERSION}, which may not understand it.",
            "Install the newer version.",
        )
    return record


def load(folder: str | os.PathLike[str]) -> Fit | Result:
    """A Fit of a program's folder, or a Simulation or Calibration; of mixtures, topics, networks and their like a Result. A damaged
    folder is an error."""
    path = os.fspath(folder)
    record = read_record(path)
    data = os.path.join(path, "data.json")  # of fits whose data came from memory
    fit = read_fit(path, data if os.path.exists(data) else None, kind=_fit_class(record))  # compares the files with the record
    if _has_draws(path, record):
        fit._check()
        return fit
    result = _result_class(record)(path, record)
    result._check()
    return result


def _fit_class(record: dict[str, Any]) -> type[Fit]:
    if record["kind"] != "simulation":
        return Fit
    from ._programs import Simulation

    return Simulation


def _result_class(record: dict[str, Any]) -> type[Result]:
    if record["kind"] != "calibration":
        return Result
    from ._programs import Calibration

    return Calibration
