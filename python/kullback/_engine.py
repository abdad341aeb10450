"""The program `kullback` of the package: found, started, its errors made exceptions."""

from __future__ import annotations

import codecs
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from . import _library, errors
from ._advice import as_arguments

_PATIENCE = 20  # seconds that an interrupted program has to write what it has
TOLERANCE_NOT_MET = 3
_NAMES = ("kullback: ", "kullback-deep: ")
_END_OF_LINE = re.compile(r"[\r\n](?!.*[\r\n])", re.DOTALL)


def program_path() -> str:
    path = _library.find("kullback", "bin", "KULLBACK")
    if path is None:
        raise errors.made(
            errors.LibraryError,
            "the program 'kullback' is neither in the package nor in build/.",
            "Run 'make run', then install the package: 'pip install ./python'.",
        )
    return path


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A temporary folder for files that are made for a call. Messages call them by their names alone."""
    with tempfile.TemporaryDirectory(prefix="kullback-") as folder:
        try:
            yield folder
        except errors.Error as error:
            error.leave_out(folder + os.sep)
            raise


def _command(words: list[str], is_deep: bool) -> list[str]:
    """`kullback` finds kullback-deep beside itself and on PATH; KULLBACK_DEEP says it is elsewhere."""
    deep = os.environ.get("KULLBACK_DEEP")
    return [deep if deep and is_deep else program_path(), *words]


def _raise(status: int, text: str) -> NoReturn:
    """From what the program printed: "kullback: message", then "  hint: ..."."""
    text = text.strip("\n")
    for name in _NAMES:
        text = as_arguments(text[len(name) :]) if text.startswith(name) else text
    message, _, hint = text.partition("\n  hint: ")
    kind = errors.OF_STATUS.get(status, errors.InternalError)
    raise kind(text or f"kullback ended with status {status} and without a word.", message, hint)


class _Relay:
    """A terminal for the program's standard error, so that it shows its progress; what comes is passed on, with options as
    arguments, and kept as it came."""

    def __init__(self) -> None:
        self._ours, self.theirs = os.openpty()
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._pass_on, daemon=True)

    def begin(self) -> None:
        os.close(self.theirs)
        self._thread.start()

    def _pass_on(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = ""
        while True:
            try:
                piece = os.read(self._ours, 4096)
            except OSError:  # the program has ended
                piece = b""
            self._kept += piece
            text = self._shown(text + decoder.decode(piece, final=not piece), is_end=not piece)
            if not piece:
                break

    def _shown(self, text: str, is_end: bool) -> str:
        """Shows what can be shown, and returns the rest: the beginning of a line in which an option may not be whole yet."""
        end = _END_OF_LINE.search(text)
        begun = end.end() if end else 0
        last = text[begun:]
        if is_end or not ("`" in last or "--" in last or last.endswith("-")):
            begun = len(text)
        if begun:
            sys.stderr.write(as_arguments(text[:begun]))
            sys.stderr.flush()
        return text[begun:]

    def finish(self) -> str:
        """What was said last: the message of an error, without the progress before it."""
        self._thread.join()
        os.close(self._ours)
        text = self._kept.decode("utf-8", "replace").replace("\r\n", "\n")
        begin = max(text.rfind(name) for name in _NAMES)
        return text[begin:] if begin >= 0 else ""


def _end(process: subprocess.Popen[str]) -> None:
    """As Ctrl-C does on a terminal, where the program has had it already."""
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _begin(command: list[str], stderr: int) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "KULLBACK_CLIENT": "python"},  # it marks options for as_arguments
        )
    except OSError as problem:
        raise errors.made(
            errors.MissingFileError, f"{command[0]}: cannot be started: {problem.strerror}."
        ) from None


def run(words: list[str], *, is_deep: bool = False, shows: bool = False) -> tuple[int, str, str]:
    """Runs `kullback WORDS`: (status, standard output, standard error), where the status is 0 or 3. `shows`: with its progress on
    standard error."""
    command = _command(words, is_deep)
    relay = _Relay() if shows else None
    process = _begin(command, subprocess.PIPE if relay is None else relay.theirs)
    if relay is not None:
        relay.begin()
    try:
        out, said = process.communicate()
    except KeyboardInterrupt:
        _end(process)
        raise errors.Interrupted("the program was interrupted") from None
    if relay is not None:
        said = relay.finish()
    if process.returncode in (errors.CANCELLED, -signal.SIGINT):
        raise errors.Interrupted("the program was interrupted")
    if process.returncode not in (0, TOLERANCE_NOT_MET):
        _raise(process.returncode, said or out)
    return process.returncode, as_arguments(out), as_arguments(said)
