"""Messages of the engine for a reader of Python: options as arguments.

The engine writes what may be typed as the command line has it, in a code span where a value is a word (src/base/advice.hpp):
`--method nuts --target-accept 0.95`, --max-depth, --draws 2000.
"""

from __future__ import annotations

import re

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_TYPED = re.compile(
    r"`(?P<options>--[^`]+)`"
    r"|`(?P<command>kullback [^`]+)`"
    r"|(?P<kept>'kullback [^']*'|\bkullback(?: [a-z]+)? --[a-z-]+)"
    rf"|(?<![\w/`.-])--(?P<name>[a-z][a-z0-9-]*[a-z0-9])(?: (?P<value>{_NUMBER})(?![\w%]|\.\d))?"
)
_PAIR = re.compile(r"--([a-z][a-z0-9-]*)(?:\s+(?!--)(\S+))?")


def _argument(name: str, value: str | None) -> str:
    name = name.replace("-", "_")
    if value is None:
        return f"{name}=True"
    return f"{name}={value}" if re.fullmatch(_NUMBER, value) else f'{name}="{value}"'


def _rewritten(match: re.Match[str]) -> str:
    if match["options"]:
        return ", ".join(_argument(name, value or None) for name, value in _PAIR.findall(match["options"]))
    if match["command"]:
        return f"'{' '.join(match['command'].split())}' on the command line"
    if match["kept"]:
        return match["kept"]
    return match["name"].replace("-", "_") if match["value"] is None else _argument(match["name"], match["value"])


def as_arguments(text: str) -> str:
    """`--method nuts` as method="nuts", --max-depth as max_depth; commands stay as they are."""
    return _TYPED.sub(_rewritten, text)
