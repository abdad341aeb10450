#!/usr/bin/env python3
"""docs/message_passing.md: its C++ is that of the examples, which print what the page shows; each example fits on a page."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = pathlib.Path(os.environ["KULLBACK"]).parent / "examples"
NAMES = ["two_component_mixture", "linear_regression", "probabilistic_pca", "normal_gamma"]
page = (ROOT / "docs/message_passing.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def without_indent(text):
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


sources = {name: (ROOT / f"examples/{name}.cpp").read_text(encoding="utf-8") for name in NAMES}
if len(blocks("cpp")) < len(NAMES):
    sys.exit("docs/message_passing.md does not show all examples")
for piece in blocks("cpp"):
    if not any(without_indent(piece) in without_indent(source) for source in sources.values()):
        sys.exit(f"docs/message_passing.md shows what is in no example:\n{piece}")
for name, source in sources.items():
    if source.count("\n") > 60:
        sys.exit(f"examples/{name}.cpp is longer than a page")
    printed = subprocess.run([EXAMPLES / name], check=True, capture_output=True, text=True).stdout
    if printed not in blocks("text"):
        sys.exit(f"docs/message_passing.md does not show what {name} prints:\n{printed}")
print(f"the page and {len(NAMES)} programs agree")
