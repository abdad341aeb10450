#!/usr/bin/env python3
"""Simulation-based calibration (Talts et al. 2018): draw parameters from the prior and data from them, fit, and rank
the parameters among the posterior's draws. If everything is right, ranks are uniform.

    tests/calibration/run.py [--kullback build/kullback] [--simulations 1000] [MODEL...]

Bands are simultaneous over all ranks of one quantity (Säilynoja, Bürkner, Vehtari 2022), with a coverage of 99 %.
Needs NumPy. Takes some minutes.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DRAWS = 99  # kept of each fit; ranks are 0..99
THIN = 10


def read_draws(path):
    with open(path) as file:
        rows = list(csv.reader(line for line in file if line.strip() and not line.startswith("#")))
    return rows[0], np.array(rows[1:], dtype=float)


def simulate(kullback, model, count, folder):
    """Names and values of what is ranked, one row for each simulation."""
    subprocess.run([kullback, "simulate", HERE / f"{model}.stan", HERE / f"{model}.json", "--seed", "1", "--draws",
                    str(count), "--data-sets", str(count), "--quiet", "--out", folder], check=True)
    names, rows = read_draws(folder / "chain-1.csv")
    end = names.index("log_lik") + 1
    return names[1:end], rows[:, 1:end]


def fit_ranks(kullback, model, simulation, folder, names, truth):
    out = folder / f"fit-{simulation}"
    subprocess.run([kullback, "fit", HERE / f"{model}.stan", folder / f"data-{simulation + 1}.json", "--method", "nuts", "--seed",
                    str(1000 + simulation), "--chains", "1", "--warmup", "1000", "--draws", str(DRAWS * THIN),
                    "--thin", str(THIN), "--quiet", "--threads", "1", "--target-accept", "0.9", "--out", out], check=True)
    head, rows = read_draws(out / "chain-1.csv")
    subprocess.run(["rm", "-r", out], check=True)
    columns = [head.index(name) for name in names]
    assert rows.shape[0] == DRAWS, rows.shape
    return (rows[:, columns] < truth).sum(axis=0)


def is_constant(column):
    return np.ptp(column) == 0


def band(count, coverage=0.99, trials=20000):
    """Bounds of the ranks' empirical distribution function at 0..DRAWS-1 that uniform ranks stay within."""
    generator = np.random.default_rng(1)
    uniform = generator.multinomial(count, np.full(DRAWS + 1, 1 / (DRAWS + 1)), size=trials).cumsum(axis=1)[:, :-1]
    ordered = np.sort(uniform, axis=0)
    low, high = 0, trials // 2  # by bisection: how many trials the pointwise bounds leave out on each side
    while high - low > 1:
        middle = (low + high) // 2
        inside = np.all((uniform >= ordered[middle]) & (uniform <= ordered[-1 - middle]), axis=1).mean()
        low, high = (middle, high) if inside >= coverage else (low, middle)
    return ordered[low], ordered[-1 - low]


def calibrate(kullback, model, count):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "simulation"
        names, truths = simulate(kullback, model, count, folder)
        kept = [j for j in range(len(names)) if not is_constant(truths[:, j])]
        names, truths = [names[j] for j in kept], truths[:, kept]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            ranks = np.array(list(pool.map(
                lambda i: fit_ranks(kullback, model, i, folder, names, truths[i]), range(count))))
    lower, upper = band(count)
    outside = 0
    for j, name in enumerate(names):
        function = np.bincount(ranks[:, j], minlength=DRAWS + 1).cumsum()[:-1]
        fits = np.all((function >= lower) & (function <= upper))
        outside += not fits
        expected = count * np.arange(1, DRAWS + 1) / (DRAWS + 1)
        print(f"{model:<10} {name:<10} mean rank {ranks[:, j].mean():6.2f} (expected {DRAWS / 2:.1f} +- "
              f"{DRAWS / np.sqrt(12 * count):.2f}), largest deviation {np.abs(function - expected).max() / count:.4f}"
              f"  {'inside' if fits else 'OUTSIDE'} the band", flush=True)
    return outside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: all of tests/calibration/*.stan")
    parser.add_argument("--kullback", default="build/kullback", type=os.path.abspath)
    parser.add_argument("--simulations", default=1000, type=int)
    arguments = parser.parse_args()
    models = arguments.models or sorted(path.stem for path in HERE.glob("*.stan"))
    outside = sum(calibrate(arguments.kullback, model, arguments.simulations) for model in models)
    print(f"{outside} quantities outside their band")
    sys.exit(outside > 0)


main()
