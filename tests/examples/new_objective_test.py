#!/usr/bin/env python3
"""The objectives of docs/new_objective.md are those of the example, and find what is known in closed form."""
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
source = (ROOT / "examples/new_objective.cpp").read_text()
pieces = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "docs/new_objective.md").read_text(), re.MULTILINE | re.DOTALL)
if len(pieces) < 2:
    sys.exit("docs/new_objective.md shows no C++")
for piece in pieces:
    if piece not in source:
        sys.exit(f"not in examples/new_objective.cpp:\n{piece}")

example = os.path.join(os.path.dirname(os.environ["KULLBACK"]), "examples", "new_objective")
lines = [line.split() for line in subprocess.run([example], check=True, capture_output=True, text=True).stdout.splitlines()]
wider = {"tempered": math.sqrt(2), "affinity": 1.0}  # p^0.5 has twice the variance
for name, estimator, *numbers in lines:
    mean_a, sd_a, mean_b, sd_b = map(float, numbers)
    expected = (0.5, 0.8 * wider[name], -1, 1.5 * wider[name])
    errors = [abs(found - wanted) / (0.8 * wider[name]) for found, wanted in zip((mean_a, sd_a, mean_b, sd_b), expected)]
    if max(errors) > 0.1:
        sys.exit(f"{name} by {estimator}: found {numbers}, expected {expected}")
if len(lines) != 6:
    sys.exit(f"{len(lines)} fits, not 6")
print("6 fits are right")
