#!/usr/bin/env python3
"""The C++ of docs/torch_distributions.md is that of the example, and the example finds the known posterior."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
source = (ROOT / "examples/torch/torch_distributions.cpp").read_text()
page = (ROOT / "docs/torch_distributions.md").read_text()
pieces = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
if not pieces or pieces[0] not in source:
    sys.exit("the first C++ of docs/torch_distributions.md is not in examples/torch/torch_distributions.cpp")

# Every other piece is in the test of the page, which is compiled.
test = (ROOT / "tests/dist/page_test.cpp").read_text()
squeezed = "".join(test.split())
for piece in pieces[1:]:
    if "".join(piece.split()) not in squeezed:
        sys.exit(f"not in tests/dist/page_test.cpp:\n{piece}")

families = re.findall(r"^KULLBACK_FAMILY\((\w+)\)", (ROOT / "src/dist/families.def").read_text(), re.MULTILINE)
missing = [name for name in families if f"`{name}`" not in page]
if missing:
    sys.exit(f"docs/torch_distributions.md does not name {missing}")
divergences = len(re.findall(r"^KULLBACK_KL(?:_INFINITE)?\(", (ROOT / "src/dist/kl_pairs.def").read_text(), re.MULTILINE))
if f"{divergences} pairs" not in page:
    sys.exit(f"docs/torch_distributions.md does not say that there are {divergences} pairs")

example = os.path.join(os.path.dirname(os.environ["KULLBACK"]), "examples", "torch_distributions")
if not os.path.exists(example):
    print("LibTorch is not there: the example is not built")
    sys.exit()
lines = subprocess.run([example], check=True, capture_output=True, text=True).stdout.splitlines()
divergence = float(lines[2].split()[1])
if not abs(divergence) < 1e-3:
    sys.exit("\n".join(lines))
print("the example finds the posterior")
