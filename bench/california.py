#!/usr/bin/env python3
"""Coverage of a network's predictive bands on California housing.

  bench/california.py california_housing.csv                        ensemble of heteroscedastic nets, 80 % of the rows to train
  bench/california.py california_housing.csv --posterior sghmc

Trains with `kullback bnn` on a random part of the rows and predicts the others with `kullback predict`. The exit code is 1 where the
coverage of the 90 or 95 % band is off by more than 2 points; that of the 50 % band is shown.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOAL = 0.02


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--posterior", default="ensemble")
    parser.add_argument("--likelihood", default="heteroscedastic")
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("rest", nargs="*", help="further options of kullback bnn, after --")
    return parser.parse_args()


def run(*command):
    done = subprocess.run([str(part) for part in command])
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")


def main():
    options = arguments()
    header, *rows = options.data.read_text().splitlines()
    random.Random(options.seed).shuffle(rows)
    cut = len(rows) * 8 // 10
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "train.csv").write_text("\n".join([header, *rows[:cut]]) + "\n")
        (folder / "new.csv").write_text("\n".join([header, *rows[cut:]]) + "\n")
        run(options.kullback, "bnn", folder / "train.csv", "--target", "median_house_value", "--posterior", options.posterior,
            "--likelihood", options.likelihood, "--seed", options.seed, "--out", folder / "fit", *options.rest)
        run(options.kullback, "predict", folder / "fit", folder / "new.csv", "--out", folder / "predictions")
        metrics = json.loads((folder / "predictions/metrics.json").read_text())
    print(json.dumps(metrics, indent=1))
    worst = max(abs(metrics[f"coverage_{percent}"] - percent / 100) for percent in (90, 95))
    print(f"coverage is off by at most {100 * worst:.1f} points (goal {100 * GOAL:.0f})")
    sys.exit(0 if worst <= GOAL else 1)


if __name__ == "__main__":
    main()
