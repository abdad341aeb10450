"""JSON as the engine writes it: numbers that are not finite are the strings "NaN", "Infinity", "-Infinity"."""

from __future__ import annotations

import json
import sys

from . import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_LARGEST = int(sys.float_info.max)
_DAMAGED = "The file was written by another program, or is damaged; fit again."


def _numbers(value: Any) -> Any:
    if isinstance(value, str):
        return _NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: item if name == "name" else _numbers(item) for name, item in value.items()}
    return value


def damaged(name: str, what: str) -> errors.Error:
    """What is wrong with a file that a run wrote, as an InputError."""
    return errors.made(errors.InputError, f"{name}: {what}.", _DAMAGED)


def parse(text: str | bytes, name: str) -> Any:
    """Raises InputError with the name of the text where it is not JSON."""
    try:
        return _numbers(json.loads(text))
    except RecursionError:
        raise damaged(name, "is nested too deeply") from None
    except UnicodeDecodeError as problem:
        raise damaged(name, f"is not UTF-8 text: byte {problem.start} is {problem.object[problem.start]:#04x}") from None
    except ValueError as problem:
        raise damaged(name, f"is not JSON: {problem}") from None


def read(path: str) -> Any:
    """Raises MissingFileError, or InputError where it is not JSON."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as problem:
        raise errors.made(errors.MissingFileError, f"{path}: cannot be read: {problem.strerror}.") from None
    return parse(text, path)


def read_object(path: str) -> dict[str, Any]:
    """The same of a file that must hold an object."""
    found = read(path)
    if not isinstance(found, dict):
        raise damaged(path, "does not hold an object")
    return found


def need(record: Any, field: str, kind: type | tuple[type, ...], name: str) -> Any:
    """record[field], which must be there and of the kind. `name` is the file's."""
    if not isinstance(record, dict) or field not in record:
        raise damaged(name, f"has no {field!r}")
    value = record[field]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise damaged(name, f"its {field!r} is of type {type(value).__name__}")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise damaged(name, f"its {field!r} is a number that no double holds")
    return value


def need_objects(record: Any, field: str, name: str) -> list[dict[str, Any]]:
    """record[field], which must be a list of objects."""
    values = need(record, field, list, name)
    for value in values:
        if not isinstance(value, dict):
            raise damaged(name, f"its {field!r} holds a value of type {type(value).__name__}; needed objects")
    return values
