#!/usr/bin/env python3
"""Compares our signatures with those that a stanc3 checkout records in its own tests.

    signatures_against_stanc.py STANC3_CHECKOUT PRINT_SIGNATURES

PRINT_SIGNATURES is the program built from tests/tools/print_signatures.cpp. Exit code 1 on a difference.
"""

import pathlib
import subprocess
import sys


def read_cram(path):
    return {line.strip() for line in path.read_text().splitlines() if line.startswith("  ") and "$ stanc" not in line}


def name_of(line):
    return line.split("(", 1)[0]


def show(title, lines, limit=40):
    print(f"{title}: {len(lines)}")
    for line in sorted(lines)[:limit]:
        print("   ", line)
    if len(lines) > limit:
        print(f"    ... and {len(lines) - limit} more")


def main():
    checkout, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    recorded = checkout / "test" / "integration" / "signatures"
    theirs = read_cram(recorded / "stan_math_signatures.t")
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    ours = set(printed)
    print(f"stanc: {len(theirs)} signatures of {len({name_of(s) for s in theirs})} names")
    print(f"ours:  {len(ours)} signatures of {len({name_of(s) for s in ours})} names")
    show("printed twice", [s for s in ours if printed.count(s) > 1] if len(printed) != len(ours) else [])
    show("only in stanc", theirs - ours)
    show("only in ours", ours - theirs)

    # A family has what its functions say; stanc's own list leaves out rngs that it declares elsewhere.
    names = {name_of(s) for s in theirs}
    listed = {line.split(":")[0] for line in read_cram(recorded / "stan_math_distributions.t")}
    expected = {
        " ".join([family + ":"] + [s for s in ("lpdf", "lpmf", "cdf", "lcdf", "lccdf", "rng") if f"{family}_{s}" in names])
        for family in listed
    }
    families = subprocess.run([program, "--families"], capture_output=True, text=True, check=True).stdout
    families = set(families.splitlines())
    print(f"families: {len(expected)} in stanc, {len(families)} in ours")
    show("families only in stanc", expected - families)
    show("families only in ours", families - expected)
    return 0 if ours == theirs and len(printed) == len(ours) and families == expected else 1


if __name__ == "__main__":
    sys.exit(main())
