"""Data of a program as the JSON that the engine reads, whatever they come in."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Mapping

from . import errors
from ._library import library
from ._numbers import as_doubles, refuse
from ._numpy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard, Union

    Data = Union[None, str, os.PathLike[str], Mapping[str, Any], Any]

_BLOCK = 1 << 20  # numbers written at once
_LONGEST = 28  # characters of a double, its comma and two brackets; should that be too few, more are asked for


def _block_text(numbers: np.ndarray) -> bytes:
    dims = (ctypes.c_size_t * max(numbers.ndim, 1))(*numbers.shape)
    capacity = _LONGEST * (numbers.size + 1)
    while True:
        text = np.empty(capacity, dtype=np.uint8)
        size = library().kb_number_text(numbers.ctypes.data, numbers.ndim, dims, text.ctypes.data, capacity)
        if size < capacity:
            return text[:size].tobytes()
        capacity = size + 1


def number_text(numbers: np.ndarray) -> bytes:
    """An array of doubles as JSON with the fewest digits that read back to the same; in blocks of rows."""
    rows = max(1, _BLOCK // max(1, numbers.size // max(1, len(numbers)))) if numbers.ndim else 1
    if numbers.ndim == 0 or len(numbers) <= rows:
        return _block_text(numbers)
    blocks = (_block_text(numbers[first : first + rows])[1:-1] for first in range(0, len(numbers), rows))
    return b"[" + b",".join(blocks) + b"]"


def _has_tuples(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, (list, tuple)) and len(value) > 0 and _has_tuples(value[0]))


def _tuple_text(name: str, value: Any) -> bytes:
    """Stan's tuples are {"1": ..., "2": ...}, and arrays of them lists of such."""
    if isinstance(value, Mapping):
        slots = (json.dumps(str(slot)).encode() + b":" + value_text(f"{name}.{slot}", item) for slot, item in value.items())
        return b"{" + b",".join(slots) + b"}"
    return b"[" + b",".join(_tuple_text(name, item) for item in value) + b"]"


def value_text(name: str, value: Any) -> bytes:
    if _has_tuples(value):
        return _tuple_text(name, value)
    if value is None:
        raise refuse(name, "is None", "Leave it out of the data, or give a number.")
    if isinstance(value, (str, bytes)):
        raise refuse(name, f"is text: {value[:40]!r}", "Give a number or an array.")
    return number_text(as_doubles(name, value))


def object_text(values: Mapping[str, Any]) -> bytes:
    """A JSON object of numbers and arrays by name."""
    return b"{" + b",\n".join(json.dumps(n).encode() + b":" + value_text(n, v) for n, v in values.items()) + b"}"


def columns_of(frame: Any) -> dict[str, Any] | None:
    """The columns of a data frame (pandas, polars) or an Arrow table; None where it is no such thing."""
    family = type(frame).__module__.partition(".")[0]
    if family == "pandas" and hasattr(frame, "columns"):
        names = list(frame.columns)
        _check_names(names)
        return {name: frame[name] for name in names}
    if family == "pyarrow" and hasattr(frame, "column_names"):
        _check_names(frame.column_names)
        return dict(zip(frame.column_names, frame.columns))
    if family == "polars" and hasattr(frame, "get_column"):
        return {name: frame.get_column(name) for name in frame.columns}
    return None


def _check_names(names: Iterable[Any]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise errors.made(
                errors.InputError, f"data: a column is called {name!r}; names of variables are text.", "Rename it."
            )
        if name in seen:
            raise errors.made(errors.InputError, f"data: two columns are called '{name}'.", "Rename one.")
        seen.add(name)


def as_mapping(data: Any) -> Mapping[str, Any]:
    columns = columns_of(data)
    if columns is not None:
        return columns
    if isinstance(data, Mapping):
        _check_names(data)
        return data
    raise errors.made(
        errors.InputError,
        f"data: found {type(data).__name__}; needed a dict of numbers and arrays, a data frame, an Arrow table, or the "
        "path of a JSON file.",
        "kb.fit('model.stan', {'N': 2, 'y': [1.5, 2.5]})",
    )


def _file_text(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as problem:
        raise errors.made(
            errors.MissingFileError,
            f"{path}: cannot be read: {problem.strerror}.",
            "Text as data is the path of a JSON file; data themselves are a dict.",
        ) from None


def is_path(data: Data) -> TypeGuard[str | os.PathLike[str]]:
    """Not text that is JSON itself."""
    return isinstance(data, os.PathLike) or (isinstance(data, str) and not data.lstrip().startswith("{"))


def data_text(data: Data) -> bytes:
    """JSON for kb_model_new_watched; of a file its text as it is."""
    if data is None:
        return b""
    if is_path(data):
        return _file_text(os.fspath(data))
    if isinstance(data, str):
        return data.encode()
    return object_text(as_mapping(data))


def data(frame: Any, *, rows: str | None = None, columns: Iterable[str] | None = None, **others: Any) -> dict[str, Any]:
    """Data of a program from a data frame: its columns as arrays, with what the program needs besides.

    rows     the name that the program gives to the number of rows, such as "N"
    columns  those that are wanted; all unless given
    others   more variables: K=3
    """
    table = columns_of(frame)
    if table is None:
        table = dict(as_mapping(frame))
    chosen = list(table) if columns is None else list(columns)
    for name in chosen:
        if name not in table:
            raise errors.made(
                errors.InputError, f"data: there is no column '{name}'.", f"There are {', '.join(map(repr, table))}."
            )
    result = {name: as_doubles(name, table[name]) for name in chosen}
    lengths = {name: len(values) for name, values in result.items() if values.ndim}
    if rows is not None:
        if len(set(lengths.values())) != 1:
            raise errors.made(errors.InputError, f"data: the columns differ in length: {lengths}.")
        others = {rows: next(iter(lengths.values())), **others}
    for name in others:
        if name in result:
            raise errors.made(errors.InputError, f"data: '{name}' is a column and is given besides.", "Rename one.")
    return {**result, **others}
