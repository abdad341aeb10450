#!/usr/bin/env python3
"""docs/divergences.md: its C++ is that of examples/divergences.cpp, which prints what the page shows; the picture is that
of what examples/alpha_fits prints, whose fits at alpha = 0 and 1 are known."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = pathlib.Path(os.environ["KULLBACK"]).parent / "examples"
page = (ROOT / "docs/divergences.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def printed(name):
    return subprocess.run([EXAMPLES / name], check=True, capture_output=True, text=True).stdout


def without_indent(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


source = "\n".join(without_indent((ROOT / "examples/divergences.cpp").read_text(encoding="utf-8")))
if not blocks("cpp"):
    sys.exit("docs/divergences.md shows no C++")
for piece in blocks("cpp"):
    if "\n".join(without_indent(piece)) not in source:
        sys.exit(f"docs/divergences.md shows what is not in examples/divergences.cpp:\n{piece}")
if printed("divergences") not in blocks("text"):
    sys.exit(f"docs/divergences.md does not show what the example prints:\n{printed('divergences')}")

fits = printed("alpha_fits")
known = {0.0: (0.95 / 1.6, 0.95 / 2), 1.0: (2.0, 1.6)}  # 1 / Lambda_ii, and the marginal variances
rows = {float(a): (float(v1), float(v2)) for a, v1, v2, _ in map(str.split, fits.splitlines())}
for alpha, expected in known.items():
    if any(abs(x - y) > 1e-4 for x, y in zip(rows[alpha], expected)):
        sys.exit(f"the fit at alpha = {alpha} has the variances {rows[alpha]} instead of {expected}")
if [v1 for _, (v1, _) in sorted(rows.items())] != sorted(v1 for v1, _ in rows.values()):
    sys.exit("the variance of the fit does not grow with alpha")
drawn = subprocess.run([sys.executable, ROOT / "docs/pictures/alpha_fits.py"], input=fits, check=True,
                       capture_output=True, text=True, encoding="utf-8").stdout
if drawn != (ROOT / "docs/pictures/alpha_fits.svg").read_text(encoding="utf-8"):
    sys.exit("docs/pictures/alpha_fits.svg is not what docs/pictures/alpha_fits.py draws")
print("the page, its program and its picture agree")
