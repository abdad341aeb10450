"""Values of the user as arrays of doubles, or a sentence that names what cannot be."""

from __future__ import annotations

from . import errors
from ._numpy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EXACT = 2**53  # integers up to here are doubles


def refuse(name: str, problem: str, hint: str = "") -> errors.Error:
    return errors.made(errors.InputError, f"data: '{name}' {problem}.", hint)


def _refuse_missing(name: str, row: int, word: str = "value") -> errors.Error:
    return refuse(
        name,
        f"has a missing {word} in row {row} (the first row is 0)",
        "Leave such rows out (in pandas: frame.dropna()), or make the missing values parameters of the program.",
    )


def _place(flat: int, shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(int(i)) for i in np.unravel_index(flat, shape)) + "]"


def _from_pandas(name: str, series: Any) -> np.ndarray:
    missing = np.asarray(series.isna())
    if missing.any():
        raise _refuse_missing(name, int(missing.argmax()))
    if str(series.dtype) == "category":
        raise refuse(
            name,
            "holds categories",
            "Give their numbers from 1 on (frame[name].cat.codes + 1), as a program indexes with them.",
        )
    return np.asarray(series.to_numpy())


def _from_arrow(name: str, column: Any) -> np.ndarray:
    if column.null_count:
        missing = np.asarray(column.is_null())
        raise _refuse_missing(name, int(missing.argmax()))
    return np.asarray(column.to_numpy(zero_copy_only=False) if hasattr(column, "buffers") else column.to_numpy())


def _from_polars(name: str, series: Any) -> np.ndarray:
    if series.null_count():
        raise _refuse_missing(name, int(np.asarray(series.is_null()).argmax()))
    return np.asarray(series.to_numpy())


def _from_masked(name: str, array: Any) -> np.ndarray:
    mask = np.ma.getmaskarray(array)
    if mask.any():
        raise refuse(name, f"is masked at {_place(int(mask.argmax()), mask.shape)}", "A program needs all numbers.")
    return np.asarray(array.data)


def _family(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _as_array(name: str, value: Any) -> np.ndarray:
    """NumPy's view of what a user may hold numbers in."""
    family = _family(value)
    if family == "pandas" and hasattr(value, "isna"):
        return _from_pandas(name, value)
    if family == "pyarrow" and hasattr(value, "null_count"):
        return _from_arrow(name, value)
    if family == "polars" and hasattr(value, "null_count"):
        return _from_polars(name, value)
    if family == "scipy" and hasattr(value, "toarray"):
        raise refuse(name, "is a sparse matrix", "Give it whole (matrix.toarray()), or its parts as three arrays.")
    if isinstance(value, np.ma.MaskedArray):
        return _from_masked(name, value)
    try:
        return np.asarray(value)
    except ValueError:  # NumPy: "setting an array element with a sequence"
        raise refuse(name, "is ragged: its rows differ in length", "Pad it, or give it in one row with sizes.") from None


def _from_objects(name: str, array: np.ndarray) -> np.ndarray:
    """Of dtype object: whole numbers beyond 64 bits, None, or anything."""
    for flat, item in enumerate(array.flat):
        place = _place(flat, array.shape) if array.ndim else ""
        if item is None:
            raise refuse(name, f"is None at {place}" if place else "is None", "A program needs all numbers.")
        if isinstance(item, (list, tuple, np.ndarray)):
            raise refuse(name, "is ragged: its rows differ in length", "Pad it, or give it in one row with sizes.")
        if isinstance(item, str) or not hasattr(item, "__float__"):
            where = f" at {place}" if place else ""
            raise refuse(name, f"is not a number{where}: {item!r} ({type(item).__name__})")
    return array.astype(np.float64)


def as_doubles(name: str, value: Any) -> np.ndarray:
    """A contiguous array of float64 with the value of each number, exactly; complex numbers get one more dimension."""
    array = _as_array(name, value)
    kind = array.dtype.kind
    if kind == "O":
        array = _from_objects(name, array)
    elif kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    elif kind == "M" or kind == "m":
        raise refuse(name, f"holds dates or times ({array.dtype})", "Give numbers, such as days since a first one.")
    elif kind in "US":
        hint = "Give numbers; of categories numbers from 1 on (numpy.unique(x, return_inverse=True)[1] + 1)."
        raise refuse(name, f"holds text ({array.dtype})", hint)
    elif kind not in "biuf":
        raise refuse(name, f"has the dtype {array.dtype}, which holds no numbers")
    if kind in "iu" and array.size and max(abs(int(array.max())), abs(int(array.min()))) > _EXACT:
        raise refuse(name, "holds integers beyond 2^53, which doubles do not tell apart", "Ints of Stan end at 2^31.")
    return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
