"""The functions of _verbs.py are signatures and docstrings alone; what does the work is of the same name in another module."""

from __future__ import annotations

import functools
from importlib import import_module

from . import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])


def _unknown(verb: str, name: str, known: tuple[str, ...]) -> errors.UnknownArgumentError:
    import difflib

    from ._verbs import ELSEWHERE

    near = difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean '{near[0]}'?" if near else f"help(kb.{verb}) lists them."
    ours, elsewhere = ELSEWHERE.get(name, ("", hint))
    hint = elsewhere if not ours or ours in known else hint
    message = f"kb.{verb} has no argument '{name}'."
    return errors.UnknownArgumentError(f"{message}\n  hint: {hint}", message, hint)


def declared(module: str) -> Callable[[Function], Function]:
    """Calls the function of that name in `module` with what the caller gave, and with nothing else: a default that is shown is
    the engine's. A keyword that is not in the signature is refused before anything is started."""

    def decorate(declaration: Function) -> Function:
        verb, code = declaration.__name__, declaration.__code__
        known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

        @functools.wraps(declaration)
        def call(*arguments: Any, **options: Any) -> Any:
            for name in options:
                if name not in known:
                    raise _unknown(verb, name, known)
            return getattr(import_module("." + module, __package__), verb)(*arguments, **options)

        return call  # type: ignore[return-value]

    return decorate
