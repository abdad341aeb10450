#!/usr/bin/env python3
"""Minibatches of posteriordb's models: all rows together must be the full density.

usage: tests/corpus/posteriordb_rows.py POSTERIORDB_CHECKOUT [--kullback build/kullback]

Prints what each model's rows are, or why it has none, and the largest relative difference of log density and gradient.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from posteriordb import Evaluator, point, posteriors, relative

TOLERANCE = 1e-9


def density(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr.strip().splitlines()


def difference(a, b):
    pairs = [(a["log_density"], b["log_density"]), *zip(a["gradient"], b["gradient"])]
    return max(relative(float(ours), float(theirs)) for ours, theirs in pairs)


def compare(command, model, at):
    """What to say of a model, and whether it is wrong."""
    status, output, errors = density(command)
    if status != 0:
        return f"does not run: {errors[0]}", False
    at.write_text(json.dumps(point(model, len(json.loads(output)["gradient"]))))
    full = json.loads(density([*command, "--point", at])[1])
    status, output, errors = density([*command, "--dump", "subsample"])
    if status != 0:
        return f"refused: {errors[0] if errors else f'exit status {status}'}", status != 65
    rows = re.match(r"rows: (\d+)", output).group(1)
    status, batch, errors = density([*command, "--point", at, "--minibatch", rows])
    if status != 0:
        return f"fails: {errors[0] if errors else status}", True
    error = difference(json.loads(batch), full)
    latents = re.search(r"parameters of rows: (.*)", output).group(1)
    return f"{rows} rows, parameters of rows: {latents}, difference {error:.1e}", not error < TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", type=pathlib.Path)
    parser.add_argument("--kullback", default="build/kullback")
    arguments = parser.parse_args()
    database = arguments.database
    if (database / "posterior_database").is_dir():
        database = database / "posterior_database"
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        evaluator = Evaluator(arguments.kullback, database, scratch)
        for model, data in sorted(posteriors(database).items()):
            try:
                program = database / "models" / "stan" / f"{model}.stan"
                command = [arguments.kullback, "density", program, evaluator.data_file(data)]
            except FileNotFoundError:
                print(f"{model}: no data")
                continue
            text, is_wrong = compare(command, model, pathlib.Path(scratch) / "point.json")
            wrong += is_wrong
            print(f"{model}: {'WRONG: ' if is_wrong else ''}{text}", flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
