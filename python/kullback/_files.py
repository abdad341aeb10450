"""Data as the files that commands read, and the tables they leave."""

from __future__ import annotations

import csv
import os
from typing import Any, Iterable, Mapping, Sequence

from . import _json, errors
from ._data import columns_of, number_text
from ._numpy import np

Rows = Any  # an array, a dict of columns, a data frame, an Arrow table, images as bytes [rows, height, width], or files

_NPY_KINDS = "biuf"
_CHUNK = 100_000  # rows of a table that are written at once


def _refuse(problem: str, hint: str = "") -> errors.Error:
    return errors.made(errors.InputError, f"data: {problem}.", hint)


def write_npy(array: np.ndarray, stem: str) -> str:
    """A vector or matrix of numbers; `stem` gets its ending."""
    if array.ndim not in (1, 2):
        raise _refuse(f"found an array with {array.ndim} dimensions; needed rows and columns")
    wide = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}[array.dtype.kind]
    is_known = array.dtype.isnative and array.dtype.itemsize in (1, 2, 4, 8) and array.dtype != np.float16
    path = stem + ".npy"
    np.save(path, array if is_known else array.astype(wide), allow_pickle=False)
    return path


def _values(name: str, column: Any) -> np.ndarray:
    """A column with NaN or None where a cell is missing."""
    family = type(column).__module__.partition(".")[0]
    if family == "pandas" and hasattr(column, "isna"):
        missing = np.asarray(column.isna())
        if missing.any() and column.dtype.kind not in "fc":
            values = np.array(column.astype(object))
            values[missing] = None
            return values
        return np.asarray(column.astype(object) if str(column.dtype) == "category" else column.to_numpy())
    if family in ("pyarrow", "polars") and hasattr(column, "null_count"):
        has_missing = bool(column.null_count() if callable(column.null_count) else column.null_count)
        values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        return np.array(values, dtype=object) if has_missing else np.asarray(values)
    try:
        values = np.ma.filled(np.ma.asarray(column, dtype=float), np.nan) if np.ma.isMA(column) else np.asarray(column)
    except ValueError:
        raise _refuse(f"column '{name}' is ragged") from None
    if values.ndim != 1:
        raise _refuse(f"column '{name}' has the shape {values.shape}; needed one value for each row")
    return values


def _check_column(name: str, values: np.ndarray) -> None:
    if values.dtype.kind not in "biufUO":
        raise _refuse(f"column '{name}' has the dtype {values.dtype}; needed numbers or text")


def _numeric_lines(columns: list[np.ndarray]) -> Iterable[bytes]:
    for first in range(0, len(columns[0]), _CHUNK):
        block = np.stack([column[first : first + _CHUNK].astype(np.float64) for column in columns], axis=1)
        yield number_text(block)[2:-2].replace(b"],[", b"\n") + b"\n"


def write_csv(table: Mapping[str, Any], stem: str) -> str:
    """Columns by name, of numbers or text; missing cells are empty or NaN."""
    columns = {str(name): _values(str(name), column) for name, column in table.items()}
    if not columns:
        raise _refuse("there are no columns")
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise _refuse(f"the columns differ in length: {lengths}")
    for name, values in columns.items():
        _check_column(name, values)
    path = stem + ".csv"
    if all(values.dtype.kind in _NPY_KINDS for values in columns.values()):
        with open(path, "wb") as file:
            file.write(",".join(_quoted(name) for name in columns).encode() + b"\n")
            file.writelines(_numeric_lines(list(columns.values())))
        return path
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        cells = ([_cell(value) for value in values.tolist()] for values in columns.values())
        writer.writerows(zip(*cells))
    return path


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(letter in name for letter in ',;"\t\n\r ') else name


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    return int(value) if isinstance(value, bool) else value


def write_table(data: Any, stem: str) -> list[str]:
    """The files of a table: paths as they are; else one file that is made."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    columns = columns_of(data)
    if columns is not None:
        return [write_csv(columns, stem)]
    if isinstance(data, Mapping):
        return [write_csv(data, stem)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(item, (str, os.PathLike)) for item in data):
        return [os.fspath(item) for item in data]
    try:
        array = np.asarray(data)
    except ValueError:
        raise _refuse("the rows differ in length") from None
    if array.dtype.kind not in _NPY_KINDS:
        raise _refuse(f"found {type(data).__name__} ({array.dtype}); needed numbers", "Text goes in a data frame or a dict of columns.")
    return [write_npy(array, stem)]


def write_documents(data: Any, stem: str) -> tuple[list[str], list[str] | None]:
    """Files of documents, and the words where the documents are lists of words."""
    if type(data).__module__.partition(".")[0] == "scipy" and hasattr(data, "tocsr"):
        rows = data.tocsr()
        bounds = list(zip(rows.indptr[:-1], rows.indptr[1:]))
        pairs = ((rows.indices[a:b].tolist(), rows.data[a:b].tolist()) for a, b in bounds)
        return [_write_ldac(pairs, stem)], None
    is_words = isinstance(data, (list, tuple)) and data and all(
        isinstance(document, (list, tuple)) and all(isinstance(word, str) for word in document) for document in data
    )
    if not is_words:
        is_counts = isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in _NPY_KINDS
        return ([_write_ldac(_counted(data), stem)] if is_counts else write_table(data, stem)), None
    number: dict[str, int] = {}
    counted = []
    for document in data:
        counts: dict[int, int] = {}
        for word in document:
            index = number.setdefault(word, len(number))
            counts[index] = counts.get(index, 0) + 1
        counted.append((list(counts), list(counts.values())))
    return [_write_ldac(counted, stem)], list(number)


def _counted(counts: np.ndarray) -> Iterable[tuple[Sequence[int], Sequence[float]]]:
    for row in counts:
        present = np.flatnonzero(row)
        yield present.tolist(), row[present].tolist()


def _write_ldac(documents: Iterable[tuple[Sequence[int], Sequence[float]]], stem: str) -> str:
    path = stem + ".ldac"
    with open(path, "w", encoding="ascii") as file:
        for indices, counts in documents:
            wrong = next((count for count in counts if not (count >= 0 and count == np.floor(count))), None)
            if wrong is not None:
                raise _refuse(f"documents hold counts, and one is {wrong}; needed whole numbers from 0")
            pairs = " ".join(f"{index}:{int(count)}" for index, count in zip(indices, counts))
            file.write(f"{len(indices)} {pairs}\n".replace(" \n", "\n"))
    return path


def write_words(words: Iterable[str], stem: str) -> str:
    path = stem + ".txt"
    with open(path, "w", encoding="utf-8") as file:
        for word in words:
            if "\n" in word or not word:
                raise _refuse(f"the word {word!r} cannot stand on a line of its own")
            file.write(word + "\n")
    return path


def write_idx(array: np.ndarray, stem: str) -> str:
    """Bytes in the format of MNIST: images [rows, height, width] or labels [rows]."""
    if array.size and (array.min() < 0 or array.max() > 255):
        raise _refuse("levels of images and labels lie between 0 and 255")
    path = stem + "-ubyte"
    with open(path, "wb") as file:
        file.write(bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes())
        file.write(np.ascontiguousarray(array, dtype=np.uint8).tobytes())
    return path


def write_rows(data: Any, stem: str) -> list[str]:
    """Images as bytes [rows, height, width], or a table."""
    if isinstance(data, np.ndarray) and data.ndim == 3:
        if data.dtype.kind not in "biu":
            raise _refuse(
                f"images have the dtype {data.dtype}; needed whole numbers from 0 to 255", "(255 * images).round().astype('uint8')"
            )
        return [write_idx(data, stem)]
    return write_table(data, stem)


def read_table(path: str) -> dict[str, np.ndarray]:
    """A CSV file as columns: float64 where all cells are numbers or empty, else text. InputError where it is no such table."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            names = next(rows, [])
            cells = [_checked(row, names, path, rows.line_num) for row in rows]
    except UnicodeDecodeError as problem:
        raise _json.damaged(path, f"is not UTF-8 text: byte {problem.start} is {problem.object[problem.start]:#04x}") from None
    except csv.Error as problem:
        raise _json.damaged(path, f"is not a table: {problem}") from None
    if not names:
        raise _json.damaged(path, "has no line with the names of columns")
    columns = list(zip(*cells)) or [()] * len(names)
    return {name: _numbers_or_text(column) for name, column in zip(names, columns)}


def _checked(row: list[str], names: list[str], path: str, line: int) -> list[str]:
    if not row and len(names) == 1:
        return [""]  # an empty cell, alone in its line
    if len(row) != len(names):
        raise _json.damaged(f"{path}:{line}", f"has {len(row)} cells; the head names {len(names)} columns")
    return row


def _numbers_or_text(cells: tuple[str, ...]) -> np.ndarray:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array(cells, dtype=str)


def read_array(path: str) -> np.ndarray:
    return np.load(path, allow_pickle=False)
