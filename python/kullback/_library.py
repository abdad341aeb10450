"""The shared library: found, checked, its functions declared (src/capi/kullback.h)."""

from __future__ import annotations

import ctypes
import os

from . import errors
from ._advice import as_arguments
from ._version import ABI, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

_HERE = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.dirname(_HERE)  # the folder that holds the package
_SIZE, _TEXT, _VOID, _INT = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int


class Progress(ctypes.Structure):
    """kb_progress: how far one chain is."""

    _fields_ = [
        ("chain", _SIZE),
        ("chains", _SIZE),
        ("done", ctypes.c_uint64),
        ("total", ctypes.c_uint64),
        ("is_warming_up", _INT),
        ("gradients", ctypes.c_uint64),
        ("divergences", ctypes.c_uint64),
        ("seconds", ctypes.c_double),
    ]


WATCH = ctypes.CFUNCTYPE(_INT, ctypes.POINTER(Progress), _SIZE, _VOID)
_OUT = ctypes.POINTER(_VOID)

# name: (result, arguments). Of functions that can fail the last argument is the error.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "kb_error_text": (_TEXT, [_VOID]),
    "kb_error_message": (_TEXT, [_VOID]),
    "kb_error_hint": (_TEXT, [_VOID]),
    "kb_error_free": (None, [_VOID]),
    "kb_model_new_watched": (_INT, [_TEXT, _TEXT, _TEXT, _TEXT, WATCH, _VOID, _OUT, _OUT]),
    "kb_model_free": (None, [_VOID]),
    "kb_model_warnings": (_TEXT, [_VOID]),
    "kb_model_dim": (_SIZE, [_VOID]),
    "kb_model_size": (_SIZE, [_VOID, _INT]),
    "kb_model_names": (_TEXT, [_VOID, _INT]),
    "kb_model_unconstrained_names": (_TEXT, [_VOID]),
    "kb_model_log_density": (_INT, [_VOID, _SIZE, _VOID, _INT, _INT, _VOID, _VOID, _VOID, _OUT]),
    "kb_model_explain": (_INT, [_VOID, _VOID, _INT, _INT, _OUT]),
    "kb_model_hessian_times": (_INT, [_VOID, _VOID, _SIZE, _VOID, _VOID, _OUT]),
    "kb_model_constrain": (_INT, [_VOID, _SIZE, _VOID, _INT, ctypes.c_uint64, _VOID, _OUT]),
    "kb_model_unconstrain": (_INT, [_VOID, _SIZE, _VOID, _VOID, _OUT]),
    "kb_model_unconstrain_json": (_INT, [_VOID, _TEXT, _VOID, _OUT]),
    "kb_fit_run": (_INT, [_VOID, _TEXT, WATCH, _VOID, _OUT, _OUT]),
    "kb_fit_read": (_INT, [_TEXT, _OUT, _OUT]),
    "kb_fit_free": (None, [_VOID]),
    "kb_fit_chains": (_SIZE, [_VOID]),
    "kb_fit_draws": (_SIZE, [_VOID]),
    "kb_fit_columns": (_SIZE, [_VOID]),
    "kb_fit_names": (_TEXT, [_VOID]),
    "kb_fit_stat_names": (_TEXT, [_VOID]),
    "kb_fit_columns_copy": (_INT, [_VOID, _SIZE, _SIZE, _VOID, _OUT]),
    "kb_fit_stat": (_INT, [_VOID, _TEXT, _VOID, _OUT]),
    "kb_fit_equal_weights": (_INT, [_VOID, _VOID, _OUT]),
    "kb_fit_record": (_TEXT, [_VOID]),
    "kb_fit_summary": (_TEXT, [_VOID]),
    "kb_fit_certificate": (_TEXT, [_VOID]),
    "kb_fit_text": (_TEXT, [_VOID]),
    "kb_fit_write": (_INT, [_VOID, _TEXT, _INT, _OUT]),
    "kb_report_write": (_INT, [_TEXT, _TEXT, _OUT]),
    "kb_number_text": (_SIZE, [_VOID, _SIZE, _VOID, _VOID, _SIZE]),
}

_loaded: ctypes.CDLL | None = None


def find(name: str, variable: str, installed: Iterable[str]) -> str | None:
    """A file of the engine: where the environment says, where it is installed, in build/ of the checkout around the package."""
    given = os.environ.get(variable)
    if given:
        return given
    checkout = os.path.join(os.path.dirname(SITE), "build", name)
    for path in (*installed, checkout):
        if os.path.isfile(path):
            return path
    return None


def _open(path: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path)
    except OSError as problem:
        raise errors.made(
            errors.LibraryError,
            f"{path}: cannot be loaded: {problem}.",
            "Set KULLBACK_LIBRARY to a libkullback.so of this machine, or install the package again after 'make run'.",
        ) from None


def _check_version(library: ctypes.CDLL, path: str) -> None:
    again = "Run 'make run' and install the package again: 'pip install ./python'."
    try:
        library.kb_version.restype = _TEXT
        version, abi = library.kb_version().decode(), library.kb_abi()
    except AttributeError:
        raise errors.made(errors.LibraryError, f"{path}: is not a library of Kullback.", again) from None
    if (version, abi) != (VERSION, ABI):
        raise errors.made(
            errors.LibraryError,
            f"{path}: is Kullback {version} with interface {abi}; this package is {VERSION} and needs interface {ABI}.",
            again,
        )


def _declare(library: ctypes.CDLL, path: str) -> None:
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise errors.made(
                errors.LibraryError,
                f"{path}: has no function {name}, which this package needs.",
                "It is of an earlier build: run 'make run' and install the package again.",
            ) from None
        function.restype, function.argtypes = result, arguments


def library() -> ctypes.CDLL:
    """The library, loaded and checked at the first call."""
    global _loaded
    if _loaded is None:
        path = find("libkullback.so", "KULLBACK_LIBRARY", [os.path.join(_HERE, "lib", "libkullback.so")])
        if path is None:
            raise errors.made(
                errors.LibraryError,
                "libkullback.so is neither in the package nor in build/.",
                "Run 'make run', then install the package: 'pip install ./python'.",
            )
        found = _open(path)
        _check_version(found, path)
        _declare(found, path)
        _loaded = found
    return _loaded


def call(function: str, *arguments: Any) -> int:
    """Calls a function whose last argument is the error. Returns KB_OK or KB_CANCELLED; raises else."""
    error = _VOID()
    status = getattr(library(), function)(*arguments, ctypes.byref(error))
    if status == 0:
        return 0
    if status == errors.CANCELLED:
        library().kb_error_free(error)
        return status
    raise error_of(status, error)


def error_of(status: int, error: ctypes.c_void_p) -> errors.Error:
    """The exception for a status and the message that came with it, which is freed."""
    kind = errors.OF_STATUS.get(status, errors.InternalError)
    if not error:
        return errors.made(kind, f"the library returned status {status} without a message.")
    parts: list[Callable[..., bytes]] = [
        library().kb_error_text,
        library().kb_error_message,
        library().kb_error_hint,
    ]
    text, *said = (part(error).decode("utf-8", "replace") for part in parts)
    library().kb_error_free(error)
    for part in filter(None, said):  # the window of the source beside them stays as it is
        text = text.replace(part, as_arguments(part))
    return kind(text.rstrip("\n"), *map(as_arguments, said))


def write_report(folder: str, path: str | os.PathLike[str]) -> str:
    """The page of any result folder; returns where it is."""
    target = os.fspath(path)
    call("kb_report_write", os.fsencode(folder), os.fsencode(target))
    return target


def split_names(names: bytes) -> list[str]:
    return names.decode().split(",") if names else []
