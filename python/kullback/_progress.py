"""How far a fit is: a line on a terminal, a bar in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FIRST_AFTER = 0.3  # seconds: short fits show nothing
_EVERY = 0.1
_BLOCKS = " ▏▎▍▌▋▊▉█"


def _summed(chains: Any, count: int) -> dict[str, Any]:
    states = [chains[i] for i in range(count)]
    total = sum(state.total for state in states)
    return {
        "chains": count,
        "part": sum(state.done for state in states) / total if total and all(s.total for s in states) else None,
        "done": sum(state.done for state in states),
        "warming_up": sum(bool(state.is_warming_up) for state in states),
        "gradients": sum(state.gradients for state in states),
        "divergences": sum(state.divergences for state in states),
    }


def _words(state: dict[str, Any], seconds: float) -> str:
    words = [f"{state['chains']} chain{'s' if state['chains'] > 1 else ''}"]
    if state["warming_up"]:
        words.append("warming up")
    words.append(f"{state['gradients']:,} gradients")
    if state["divergences"]:
        words.append(f"{state['divergences']} divergences")
    return ", ".join([*words, f"{seconds:.1f} s"])


class _Silent:
    def show(self, state: dict[str, Any], seconds: float) -> None:
        pass

    def close(self) -> None:
        pass


class _Terminal:
    """One line of standard error, written over and at the end wiped out."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._width = 0

    def show(self, state: dict[str, Any], seconds: float) -> None:
        line = f"{self._label} {self._bar(state)} {_words(state, seconds)}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    @staticmethod
    def _bar(state: dict[str, Any], width: int = 24) -> str:
        if state["part"] is None:
            return f"{state['done']:,} steps"
        eighths = int(8 * width * min(1.0, state["part"]))
        bar = "█" * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else "")
        return f"│{bar.ljust(width)}│ {100 * state['part']:3.0f} %"

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class _Notebook:
    """A <progress> element that is updated in place."""

    def __init__(self, label: str) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        self._label, self._html, self._display = label, HTML, display
        self._handle: Any = None

    def show(self, state: dict[str, Any], seconds: float) -> None:
        import html

        value = "" if state["part"] is None else f" value='{state['part']:.3f}'"
        text = html.escape(f"{self._label}: {_words(state, seconds)}")
        self._put(f"<progress{value} max='1' aria-label='{text}'></progress> {text}")

    def _put(self, text: str) -> None:
        if self._handle is None:
            self._handle = self._display(self._html(text), display_id=True)
        else:
            self._handle.update(self._html(text))

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update(self._html(""))


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_shown(progress: bool | None) -> bool:
    return progress if progress is not None else _is_notebook() or sys.stderr.isatty()


def _sink(label: str, progress: bool | None) -> Any:
    if not is_shown(progress):
        return _Silent()
    return _Notebook(label) if _is_notebook() else _Terminal(label)


class Display:
    """Shows what kb_watch is told. `progress`: True, False, or None where a terminal or a notebook decides."""

    def __init__(self, label: str, progress: bool | None) -> None:
        self._sink = _sink(label, progress)
        self._start = time.monotonic()
        self._last = self._start + _FIRST_AFTER - _EVERY

    def update(self, chains: Any, count: int) -> None:
        now = time.monotonic()
        if now - self._last >= _EVERY and count:
            self._last = now
            self._sink.show(_summed(chains, count), now - self._start)

    def close(self) -> None:
        self._sink.close()
