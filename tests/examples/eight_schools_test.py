#!/usr/bin/env python3
"""The example in C++ gives the numbers of the Stan program."""
import json
import os
import subprocess
import sys

kullback = os.environ["KULLBACK"]
example = os.path.join(os.path.dirname(kullback), "examples", "eight_schools")
lines = [line.split() for line in subprocess.run([example], check=True, capture_output=True, text=True).stdout.splitlines()]
stan = json.loads(subprocess.run(
    [kullback, "density", "examples/eight_schools.stan", "examples/eight_schools.json", "--normalized"],
    check=True, capture_output=True, text=True).stdout)

gradient = [float(number) for line in lines[1:] for number in line[2:]]
pairs = [(float(lines[0][2]), stan["log_density"])] + list(zip(gradient, stan["gradient"], strict=True))
wrong = [(a, b) for a, b in pairs if abs(a - b) > 1e-14 * (1 + abs(b))]
if wrong:
    sys.exit(f"C++ and Stan differ: {wrong}")
names = [line[1] for line in lines[1:]]
if names != ["mu", "tau", "z"]:
    sys.exit(f"the blocks are {names}")
print(f"{len(pairs)} numbers agree")
