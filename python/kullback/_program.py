"""A Stan program: the path of a file, or its text."""

from __future__ import annotations

import os
from collections import namedtuple

from . import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    ProgramLike = Union[str, os.PathLike[str]]


class Program(namedtuple("Program", ["text", "name", "folder"])):
    """Bytes of text, what messages call it, and the folder where #include looks first (or None)."""

    __slots__ = ()


def _is_text(program: str) -> bool:
    """No path has a brace or a line end; no program is without a brace."""
    return "{" in program or "\n" in program


def read_program(program: ProgramLike) -> Program:
    if not isinstance(program, (str, os.PathLike)):
        raise errors.made(
            errors.UsageError,
            f"the program is {type(program).__name__}; needed the path of a Stan file, or its text.",
        )
    if isinstance(program, str) and _is_text(program):
        return Program(program.encode(), "model.stan", None)
    path = os.fspath(program)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as problem:
        raise errors.made(
            errors.MissingFileError,
            f"{path}: cannot be read: {problem.strerror}.",
            "A program is the path of a Stan file, or its text.",
        ) from None
    if b"\0" in text:
        raise errors.made(errors.InputError, f"{path}: is not text.")
    return Program(text, path, os.path.dirname(os.path.abspath(path)))
