"""Any result folder, by what its run.json says it is."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from . import _json, _library, errors
from ._fit import Fit
from ._result import Result
from ._version import VERSION


def _has_draws(folder: str, record: dict[str, Any]) -> bool:
    """Of a program: fits, and what `predict` and `simulate` make of it."""
    return record["kind"] == "posterior" or os.path.exists(os.path.join(folder, "chain-1.csv"))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdigit())


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
    record = _json.read(path)
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise errors.made(errors.InputError, f"{path}: does not say what kind of result this is.")
    version = str(record.get("version", ""))
    if _parts(version) > _parts(VERSION):
        raise errors.made(
            errors.InputError,
            f"{folder}: was made by Kullback {version}; this is {VERSION}, which may not understand it.",
            "Install the newer version.",
        )
    return record


def load(folder: str | os.PathLike[str]) -> Fit | Result:
    """A Fit of a program's folder; of mixtures, topics, networks and their like a Result."""
    path = os.fspath(folder)
    record = read_record(path)
    handle = ctypes.c_void_p()
    _library.call("kb_fit_read", os.fsencode(path), ctypes.byref(handle))  # compares the files with the record
    if not _has_draws(path, record):
        _library.library().kb_fit_free(handle)
        return Result(path, record)
    data = os.path.join(path, "data.json")  # of fits whose data came from memory
    return Fit(handle, path, data if os.path.exists(data) else None)
