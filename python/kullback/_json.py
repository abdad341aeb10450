"""JSON as the engine writes it: numbers that are not finite are the strings "NaN", "Infinity", "-Infinity"."""

from __future__ import annotations

import json

from . import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def _numbers(value: Any) -> Any:
    if isinstance(value, str):
        return _NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: item if name == "name" else _numbers(item) for name, item in value.items()}
    return value


def parse(text: str | bytes) -> Any:
    return _numbers(json.loads(text))


def read(path: str) -> Any:
    """Raises MissingFileError, or InputError where it is no JSON."""
    try:
        with open(path, "rb") as file:
            return parse(file.read())
    except OSError as problem:
        raise errors.made(errors.MissingFileError, f"{path}: cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise errors.made(errors.InputError, f"{path}: is not JSON: {problem}.", "The file is damaged.") from None
