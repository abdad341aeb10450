"""Kullback: approximate Bayesian inference for Stan programs, without a compiler.

    import kullback as kb

    fit = kb.fit("model.stan", {"N": 3, "y": [1.2, 0.7, 2.1]}, tolerance=0.1)
    fit                          # the table, what was found, how wrong it may be
    fit["theta"].mean(axis=0)    # draws as arrays

docs/python.md says the rest. Names are loaded at their first use: `import kullback` alone takes no NumPy.
"""

from __future__ import annotations

from ._version import VERSION as __version__

TYPE_CHECKING = False  # typing takes as long to load as all of this package
if TYPE_CHECKING:
    from ._commands import bnn, certify, factors, hmm, methods, mixture, regress, topics, vae
    from ._data import data
    from ._fit import Fit, fit
    from ._load import load
    from ._model import Bound, Model
    from ._result import Result
    from ._table import Table
    from ._verdict import Certificate, Finding
    from .errors import (
        CannotWriteError,
        Error,
        InputError,
        InternalError,
        Interrupted,
        LibraryError,
        MissingFileError,
        NotFiniteError,
        UsageError,
    )

_HOME = {
    "_commands": ("bnn", "certify", "factors", "hmm", "methods", "mixture", "regress", "topics", "vae"),
    "_data": ("data",),
    "_fit": ("Fit", "fit"),
    "_load": ("load",),
    "_model": ("Bound", "Model"),
    "_result": ("Result",),
    "_table": ("Table",),
    "_verdict": ("Certificate", "Finding"),
    "errors": (
        "CannotWriteError",
        "Error",
        "InputError",
        "InternalError",
        "Interrupted",
        "LibraryError",
        "MissingFileError",
        "NotFiniteError",
        "UsageError",
    ),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
__all__ = sorted([*_MODULE_OF, "__version__"])


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'kullback' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("." + module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
