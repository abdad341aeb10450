"""What goes wrong, as exceptions: their text is what the command line prints."""

from __future__ import annotations


class Error(Exception):
    """What was found, what was needed, and a hint. str() is the whole text, with the window of the source."""

    def __init__(self, text: str, message: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.message = message or text
        self.hint = hint

    def __str__(self) -> str:
        return self.text

    def leave_out(self, words: str) -> None:
        """What only this package knows, such as a temporary folder."""
        self.text, self.message, self.hint = (part.replace(words, "") for part in (self.text, self.message, self.hint))


class UsageError(Error, ValueError):
    """An option that does not exist, or a value without sense."""


class UnknownArgumentError(UsageError, TypeError):
    """A keyword argument that the function does not have."""


class InputError(Error, ValueError):
    """A program with errors, or data that do not fit it."""


class MissingFileError(Error, FileNotFoundError):
    """A file or folder that cannot be read."""


class InternalError(Error, RuntimeError):
    """A bug of Kullback's; please report it."""


class CannotWriteError(Error, OSError):
    """A file or folder that cannot be written."""


class NotFiniteError(Error, ArithmeticError):
    """The log density is not finite where it must be."""


class LibraryError(Error, ImportError):
    """The shared library is missing, or is of another version than the package."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `fit` holds the draws that a fit had by then, or is None."""

    def __init__(self, message: str, fit: object = None) -> None:
        super().__init__(message)
        self.fit = fit


OF_STATUS: dict[int, type[Error]] = {
    64: UsageError,
    65: InputError,
    66: MissingFileError,
    70: InternalError,
    73: CannotWriteError,
    75: NotFiniteError,
}
CANCELLED = 130


def made(kind: type[Error], message: str, hint: str = "") -> Error:
    """An error of the package's own, in the form of the engine's."""
    return kind(message + (f"\n  hint: {hint}" if hint else ""), message, hint)
