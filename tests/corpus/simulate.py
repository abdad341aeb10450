#!/usr/bin/env python3
"""Simulates posteriordb's models from their priors, as far as they are generative.

usage: tests/corpus/simulate.py POSTERIORDB_CHECKOUT [--program build/tests/simulate_program] [--draws 20]

Prints how many models simulate, the draws whose density is not finite with their own data, and the reasons why the
others are refused.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from posteriordb import Evaluator, posteriors


def reason(message):
    """A refusal without names and places."""
    text = message.split("cannot be simulated: ")[-1]
    return re.sub(r"'[^']*'", "...", text).strip()[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=pathlib.Path)
    parser.add_argument("--program", default="build/tests/simulate_program")
    parser.add_argument("--draws", default="20")
    options = parser.parse_args()
    simulated, refused, odd = [], collections.defaultdict(list), []
    with tempfile.TemporaryDirectory() as scratch:
        evaluator = Evaluator(None, options.database, scratch)
        for model, data in posteriors(options.database).items():
            program = options.database / "models" / "stan" / f"{model}.stan"
            try:
                words = [options.program, program, evaluator.data_file(data), options.draws]
            except FileNotFoundError:  # posteriordb names data that it does not hold
                continue
            begin = time.time()
            try:
                run = subprocess.run(words, capture_output=True, text=True, timeout=60)
                text = run.stdout.strip() or f"crash: {run.returncode} {run.stderr.strip()[-200:]}"
            except subprocess.TimeoutExpired:
                text = "refused: more than a minute"
            if text.startswith("ok:"):
                simulated.append(model)
                if ", 0 of 5 without density" not in text or time.time() - begin > 5:
                    odd.append(f"{model} ({time.time() - begin:.1f} s): {text}")
            else:
                refused[reason(text)].append(model)
    total = len(simulated) + sum(map(len, refused.values()))
    print(f"{len(simulated)} of {total} models simulate")
    for text, models in sorted(refused.items(), key=lambda item: -len(item[1])):
        print(f"{len(models):4}  {text}\n      {', '.join(models)}")
    print("\n".join(odd))
    return 0


if __name__ == "__main__":
    sys.exit(main())
