#!/usr/bin/env python3
"""Evaluates posteriordb's models and compares log density, gradient and outputs with Stan's.

usage: tests/corpus/posteriordb.py POSTERIORDB_CHECKOUT STAN_VALUES.json.gz [--kullback build/kullback] [--show 60]

STAN_VALUES holds Stan's values at the point q[i] = 0.1 + 0.05 (i mod 7) - 0.15 (i mod 3), or at the origin where the
density vanishes there (dogs_log). Prints how many models agree
to 1e-8 relative, how many outputs (names, order and values to 1e-9 relative) and why the others do not. Models without a value of Stan's must evaluate at the same point.
"""
import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

TOLERANCE = 1e-8
OUTPUT_TOLERANCE = 1e-9


ORIGIN = {"dogs_log"}  # its first parameter must be negative


def point(model, dim):
    return [0.0] * dim if model in ORIGIN else [0.1 + 0.05 * (i % 7) - 0.15 * (i % 3) for i in range(dim)]


def posteriors(database):
    """{model: data name} of every posterior, one for each model."""
    pairs = {}
    for path in sorted((database / "posteriors").glob("*.json")):
        posterior = json.loads(path.read_text())
        pairs.setdefault(posterior["model_name"], posterior["data_name"])
    return pairs


def relative(ours, theirs):
    return abs(ours - theirs) / max(1.0, abs(theirs))


class Evaluator:
    def __init__(self, kullback, database, scratch):
        self.kullback, self.database, self.scratch = kullback, database, pathlib.Path(scratch)

    def data_file(self, name):
        archive = self.database / "data" / "data" / f"{name}.json.zip"
        with zipfile.ZipFile(archive) as z:
            target = self.scratch / f"{name}.json"
            target.write_bytes(z.read(z.namelist()[0]))
        return target

    def run(self, model, data, dim=None, outputs=False):
        program = self.database / "models" / "stan" / f"{model}.stan"
        words = [self.kullback, "density", program, self.data_file(data)]
        if dim is not None:
            (self.scratch / "point.json").write_text(json.dumps(point(model, dim)))
            words += ["--point", self.scratch / "point.json"]
        if outputs:
            words.append("--outputs")
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return None, (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[0]
        return json.loads(done.stdout), None


def compare(values, stan):
    if isinstance(values["log_density"], str):
        return float("inf")
    errors = [relative(values["log_density"], stan["log_density"])]
    for ours, theirs in zip(values["gradient"], stan["gradient"]):
        errors.append(relative(float(ours), theirs))
    return max(errors)


def compare_outputs(values, stan):
    """What differs between our output columns and Stan's, or None."""
    ours = values["outputs"]
    names = stan["outputs"]["names"].split(",")
    if list(ours) != names:
        return f"output columns {list(ours)[:8]} against {names[:8]}"
    for name, theirs in zip(names, stan["outputs"]["values"], strict=True):
        if not abs(float(ours[name]) - theirs) <= OUTPUT_TOLERANCE * max(abs(theirs), 1e-6):
            return f"output {name} is {ours[name]}, Stan's {theirs}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("posteriordb", type=pathlib.Path)
    parser.add_argument("stan_values", type=pathlib.Path)
    parser.add_argument("--kullback", default="build/kullback")
    parser.add_argument("--show", type=int, default=60, help="failures to print")
    arguments = parser.parse_args()
    database = arguments.posteriordb / "posterior_database"
    if not database.is_dir():
        raise SystemExit(f"{database} is no folder; give the path of a posteriordb checkout")
    stan = json.load(gzip.open(arguments.stan_values))["models"]
    agree, outputs_agree, evaluated, failures, reasons = 0, 0, 0, [], collections.Counter()
    pairs = posteriors(database)
    with tempfile.TemporaryDirectory() as scratch:
        evaluator = Evaluator(arguments.kullback, database, scratch)
        for model, data in pairs.items():
            reference = stan.get(model)
            try:
                values, problem = evaluator.run(model, reference["data"] if reference else data,
                                                len(reference["gradient"]) if reference else None,
                                                bool(reference and "outputs" in reference))
            except (FileNotFoundError, subprocess.TimeoutExpired) as e:
                values, problem = None, str(e)
            if values is None:
                failures.append(f"{model}: {problem}")
                reasons[problem.split(": ")[-1]] += 1
            elif reference is None:
                evaluated += 1
            elif (error := compare(values, reference)) <= TOLERANCE:
                agree += 1
                if "outputs" in reference:
                    if (difference := compare_outputs(values, reference)) is None:
                        outputs_agree += 1
                    else:
                        failures.append(f"{model}: {difference}")
            else:
                failures.append(f"{model}: differs from Stan by {error:.2g}: {values['log_density']} "
                                f"against {reference['log_density']} {values.get('message', '')}")
    for failure in failures[: arguments.show]:
        print(failure)
    for reason, count in reasons.most_common(15):
        print(f"{count:4}  {reason}")
    print(f"{agree} of {len(stan)} models agree with Stan to {TOLERANCE:g}; "
          f"{evaluated} of {len(pairs) - len(stan)} others evaluate")
    with_outputs = sum("outputs" in reference for reference in stan.values())
    print(f"{outputs_agree} of {with_outputs} models with outputs of Stan's agree to {OUTPUT_TOLERANCE:g}")
    return 0 if not failures else 1


if __name__ == "__main__":
    sys.exit(main())
