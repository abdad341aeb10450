"""A program bound to its data: log density, gradient, and the way between parameters and coordinates."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections.abc import Iterable, Mapping

from . import _library, errors
from ._columns import as_array, display_name, find_variables
from ._data import data_text, is_path, object_text
from ._numpy import np
from ._program import read_program
from ._watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._data import Data
    from ._program import ProgramLike

_DOUBLE = 12  # number of NumPy's float64
PARAMETERS, TRANSFORMED, GENERATED = 1, 2, 4


def _arguments(
    model: ctypes.c_void_p, theta: np.ndarray, value: np.ndarray, gradient: np.ndarray | None, flags: tuple[bool, bool]
) -> tuple[Any, ...]:
    """Of kb_model_log_density at one point, made once: ctypes converts nothing at the call."""
    return (
        model,
        ctypes.c_size_t(1),
        ctypes.c_void_p(theta.ctypes.data),
        ctypes.c_int(flags[0]),
        ctypes.c_int(flags[1]),
        ctypes.c_void_p(value.ctypes.data),
        ctypes.c_void_p(None if gradient is None else gradient.ctypes.data),
        ctypes.c_void_p(None),
    )


class _Evaluation:
    """Buffers of one thread, and the call that reads and writes them."""

    def __init__(self, model: Model, theta: np.ndarray, gradient: np.ndarray | None, flags: tuple[bool, bool]) -> None:
        self.model = model  # kept alive
        self.theta = theta
        self.gradient: Any = gradient
        self.value = np.zeros(1)
        self.error = ctypes.c_void_p()
        self.evaluate = model._evaluate
        self.arguments = (
            *_arguments(model._handle, theta, self.value, gradient, flags),
            ctypes.pointer(self.error),
        )

    def run(self) -> None:
        status = self.evaluate(*self.arguments)
        if status:
            self.fail(status)

    def fail(self, status: int) -> None:
        error, self.error.value = ctypes.c_void_p(self.error.value), None
        raise _library.error_of(status, error)


class Bound:
    """Evaluates at the point that is in a buffer of the caller's, into another one. Calling it returns the log density.

    Where the density is not finite that is -inf, and the gradient NaN. One thread at a time may call it.
    """

    __slots__ = ("_arguments", "_evaluate", "_evaluation", "_value")

    def __init__(self, evaluation: _Evaluation) -> None:
        self._evaluation = evaluation
        self._evaluate = evaluation.evaluate
        self._arguments = evaluation.arguments
        self._value = ctypes.c_double.from_buffer(evaluation.value.data)

    def __call__(self) -> float:
        status = self._evaluate(*self._arguments)
        if status:
            self._evaluation.fail(status)
        return self._value.value


class Model:
    """A Stan program with its data.

    program        the path of a file, or the text
    data           a dict of numbers and arrays, a data frame, an Arrow table, the path of a JSON file; None for none
    include_paths  folders where #include looks, after that of the program
    max_memory     bytes
    seed           of random numbers in transformed data
    """

    def __init__(
        self,
        program: ProgramLike,
        data: Data = None,
        *,
        include_paths: Iterable[str | os.PathLike[str]] = (),
        max_memory: int | None = None,
        seed: int = 0,
    ) -> None:
        self._handle = ctypes.c_void_p()
        source = read_program(program)
        folders = [os.fspath(path) for path in include_paths]
        options: dict[str, Any] = {"seed": seed}
        if source.folder or folders:
            options["include_paths"] = ([source.folder] if source.folder else []) + folders
        if max_memory is not None:
            options["max_memory"] = max_memory
        if is_path(data):
            options["data_name"] = os.fspath(data)
        self._library = _library.library()
        text = data_text(data)
        with Watch() as watch:
            status = _library.call(
                "kb_model_new_watched",
                source.text,
                os.fsencode(source.name),
                text,
                json.dumps(options).encode(),
                watch.callback,
                None,
                ctypes.byref(self._handle),
            )
        if watch.caught is not None:
            raise watch.caught
        if status == errors.CANCELLED or watch.is_interrupted:
            raise errors.Interrupted("the model was interrupted while its data were prepared")
        self.program = source.text.decode("utf-8", "replace")
        self.program_name = source.name
        self._data = data
        self.dim: int = self._library.kb_model_dim(self._handle)
        self._shape = (self.dim,)
        self._evaluate = self._library["kb_model_log_density"]  # without argtypes: its arguments are ctypes' own
        self._evaluate.restype = ctypes.c_int
        self._local = threading.local()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.kb_model_free(self._handle)
            self._handle = ctypes.c_void_p()

    def __repr__(self) -> str:
        return f"<kullback.Model {self.program_name}: {self.dim} unconstrained coordinates>"

    @property
    def warnings(self) -> str:
        """What the checker says of the program that is no error; empty where it is silent."""
        return self._library.kb_model_warnings(self._handle).decode()

    @property
    def names(self) -> list[str]:
        """Of the scalars of the parameters: "mu", "theta[1]", ..."""
        return [display_name(name) for name in self._columns(PARAMETERS)]

    @property
    def unconstrained_names(self) -> list[str]:
        """Of the coordinates of theta."""
        names = _library.split_names(self._library.kb_model_unconstrained_names(self._handle))
        return [display_name(name) for name in names]

    def _columns(self, parts: int) -> list[str]:
        return _library.split_names(self._library.kb_model_names(self._handle, parts))

    # ---- density ----

    def log_density(self, theta: Any, *, jacobian: bool = True, constants: bool = False) -> Any:
        """At a point [dim], or at many [points, dim]; -inf where it is not finite."""
        return self._evaluated(theta, False, jacobian, constants)[0]

    def gradient(self, theta: Any, *, jacobian: bool = True, constants: bool = False) -> np.ndarray:
        """Of the log density, with the shape of theta; NaN where the density is not finite."""
        if theta.__class__ is np.ndarray and self._is_plain(theta) and jacobian and not constants:
            evaluation = self._own()
            evaluation.theta[...] = theta
            evaluation.run()
            return evaluation.gradient.copy()
        return self._evaluated(theta, True, jacobian, constants)[1]

    def log_density_and_gradient(
        self, theta: Any, *, jacobian: bool = True, constants: bool = False
    ) -> tuple[Any, np.ndarray]:
        if theta.__class__ is np.ndarray and self._is_plain(theta) and jacobian and not constants:
            evaluation = self._own()
            evaluation.theta[...] = theta
            evaluation.run()
            return evaluation.value.item(), evaluation.gradient.copy()
        return self._evaluated(theta, True, jacobian, constants)

    def bind(
        self,
        theta: np.ndarray,
        gradient: np.ndarray | None = None,
        *,
        jacobian: bool = True,
        constants: bool = False,
    ) -> Bound:
        """For loops that count microseconds: the point is read from `theta`, the gradient written to `gradient`, both
        contiguous float64 [dim] of the caller's, at each call of what this returns."""
        for name, buffer, writes in (("theta", theta, False), ("gradient", gradient, True)):
            if buffer is not None or name == "theta":
                self._check_buffer(name, buffer, writes)
        return Bound(_Evaluation(self, theta, gradient, (jacobian, constants)))

    def _check_buffer(self, name: str, buffer: Any, writes: bool) -> None:
        needed = f"a contiguous float64 array of shape ({self.dim},)"
        if not isinstance(buffer, np.ndarray):
            raise errors.made(errors.UsageError, f"bind: {name} is {type(buffer).__name__}; needed {needed}.")
        is_right = self._is_plain(buffer) and buffer.flags.c_contiguous
        if not is_right or not buffer.flags.aligned:
            found = f"{buffer.dtype} of shape {buffer.shape}" + ("" if buffer.flags.c_contiguous else ", not contiguous")
            raise errors.made(errors.UsageError, f"bind: {name} is {found}; needed {needed}.")
        if writes and not buffer.flags.writeable:
            raise errors.made(errors.UsageError, f"bind: {name} may not be written.")

    def _is_plain(self, array: np.ndarray) -> bool:
        """One point of doubles."""
        kind = array.dtype
        return kind.num == _DOUBLE and kind.isnative and array.shape == self._shape

    def _own(self) -> _Evaluation:
        """The buffers of this thread."""
        try:
            return self._local.evaluation
        except AttributeError:
            evaluation = _Evaluation(self, np.zeros(self.dim), np.zeros(self.dim), (True, False))
            evaluation.model = None  # type: ignore[assignment]  # it belongs to the model: no cycle
            self._local.evaluation = evaluation
            return evaluation

    def _points(self, theta: Any, what: str = "theta", width: int | None = None) -> np.ndarray:
        """[points, width] or [width], checked."""
        width = self.dim if width is None else width
        array = np.asarray(theta)
        if array.dtype.kind not in "biuf":
            raise errors.made(errors.UsageError, f"{what} has the dtype {array.dtype}; needed numbers.")
        if array.ndim not in (1, 2) or array.shape[-1] != width:
            raise errors.made(
                errors.UsageError, f"{what} has the shape {array.shape}; needed ({width},) or (points, {width})."
            )
        return np.ascontiguousarray(array, dtype=np.float64)

    def _evaluated(self, theta: Any, with_gradient: bool, jacobian: bool, constants: bool) -> tuple[Any, Any]:
        points = self._points(theta)
        count = 1 if points.ndim == 1 else len(points)
        value = np.empty(count)
        gradient = np.empty_like(points) if with_gradient else None
        if count:
            _library.call(
                "kb_model_log_density",
                self._handle,
                count,
                points.ctypes.data,
                bool(jacobian),
                bool(constants),
                value.ctypes.data,
                None if gradient is None else gradient.ctypes.data,
                None,
            )
        return (value.item() if points.ndim == 1 else value), gradient

    def explain(self, theta: Any, *, jacobian: bool = True, constants: bool = False) -> str:
        """Why the density is not finite at a point: the statement and the value behind it. Empty where it is finite."""
        point = self._one_point(theta)
        try:
            _library.call("kb_model_explain", self._handle, point.ctypes.data, bool(jacobian), bool(constants))
        except errors.NotFiniteError as reason:
            return reason.text
        return ""

    def _one_point(self, theta: Any) -> np.ndarray:
        point = self._points(theta)
        if point.ndim != 1:
            raise errors.made(errors.UsageError, f"theta has the shape {point.shape}; needed one point, ({self.dim},).")
        return point

    def hessian_times(self, theta: Any, v: Any) -> np.ndarray:
        """H v at one point, for one direction [dim] or several [count, dim]."""
        point, directions = self._one_point(theta), self._points(v, "v")
        result = np.empty_like(directions)
        count = 1 if directions.ndim == 1 else len(directions)
        _library.call(
            "kb_model_hessian_times", self._handle, point.ctypes.data, count, directions.ctypes.data, result.ctypes.data
        )
        return result

    # ---- parameters ----

    def constrain(
        self, theta: Any, *, transformed: bool = True, generated: bool = False, seed: int = 0
    ) -> dict[str, np.ndarray]:
        """Parameters by name, from a point [dim] or points [points, dim]: arrays [dims] or [points, dims]."""
        points = self._points(theta)
        parts = PARAMETERS | (TRANSFORMED if transformed else 0) | (GENERATED if generated else 0)
        names = self._columns(parts)
        count = 1 if points.ndim == 1 else len(points)
        columns = np.empty((count, len(names)))
        _library.call(
            "kb_model_constrain", self._handle, count, points.ctypes.data, parts, seed, columns.ctypes.data
        )
        if points.ndim == 1:
            columns = columns[0]
        return {v.name: as_array(columns[..., v.first : v.first + v.size], v.dims) for v in find_variables(names)}

    def unconstrain(self, params: Any) -> np.ndarray:
        """The point theta of parameters: a dict by name (all parameters of one point), or columns in the order of `names`,
        [columns] or [points, columns]."""
        if isinstance(params, Mapping):
            return self._unconstrain_mapping(params)
        columns = self._points(params, "params", self._library.kb_model_size(self._handle, PARAMETERS))
        count = 1 if columns.ndim == 1 else len(columns)
        theta = np.empty((count, self.dim))
        _library.call("kb_model_unconstrain", self._handle, count, columns.ctypes.data, theta.ctypes.data)
        return theta[0] if columns.ndim == 1 else theta

    def _unconstrain_mapping(self, params: Mapping[str, Any]) -> np.ndarray:
        theta = np.empty(self.dim)
        _library.call("kb_model_unconstrain_json", self._handle, object_text(params), theta.ctypes.data)
        return theta
