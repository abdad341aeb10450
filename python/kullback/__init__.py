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
    from ._applied import Evaluation, Restored
    from ._commands import check, format, methods, modernize, posteriors
    from ._compared import Comparison, Distance
    from ._data import data
    from ._fit import Fit
    from ._load import load
    from ._model import Bound, Model
    from ._programs import Calibration, Optimum, Simulation
    from ._result import Result
    from ._table import Table
    from ._verbs import (
        bnn,
        calibrate,
        certify,
        compare,
        decode,
        diffusion,
        ebm,
        encode,
        evaluate,
        factors,
        fit,
        hmm,
        loglik,
        mixture,
        optimize,
        predict,
        regress,
        restore,
        sample,
        score,
        simulate,
        topics,
        vae,
    )
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
        UnknownArgumentError,
        UsageError,
    )

_HOME = {
    "_applied": ("Evaluation", "Restored"),
    "_commands": ("check", "format", "methods", "modernize", "posteriors"),
    "_compared": ("Comparison", "Distance"),
    "_data": ("data",),
    "_fit": ("Fit",),
    "_load": ("load",),
    "_model": ("Bound", "Model"),
    "_programs": ("Calibration", "Optimum", "Simulation"),
    "_result": ("Result",),
    "_table": ("Table",),
    "_verbs": (
        "bnn",
        "calibrate",
        "certify",
        "compare",
        "decode",
        "diffusion",
        "ebm",
        "encode",
        "evaluate",
        "factors",
        "fit",
        "hmm",
        "loglik",
        "mixture",
        "optimize",
        "predict",
        "regress",
        "restore",
        "sample",
        "score",
        "simulate",
        "topics",
        "vae",
    ),
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
        "UnknownArgumentError",
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
