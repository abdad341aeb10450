"""Ctrl-C while the library works."""

from __future__ import annotations

import signal
import threading

from . import _library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._progress import Display


class Watch:
    """Shows progress, and stops the call after Ctrl-C or an error in showing it. An exception cannot pass through the library, and
    one that a signal raises comes before any `try` of the callback: Ctrl-C sets a flag while the library runs."""

    def __init__(self, display: Display | None = None) -> None:
        self.is_interrupted = False
        self.caught: BaseException | None = None
        self._display = display
        self._before: Any = None
        self.callback = _library.WATCH(self._called)

    def __enter__(self) -> Watch:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._display is not None:
            self._display.close()

    def _interrupt(self, _number: int, _frame: Any) -> None:
        self.is_interrupted = True

    def _called(self, chains: Any, count: int, _user: Any) -> int:
        try:
            if self._display is not None:
                self._display.update(chains, count)
        except BaseException as caught:  # of another handler of Ctrl-C, say
            self.caught = caught
        return int(self.is_interrupted or self.caught is not None)
