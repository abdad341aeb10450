#!/usr/bin/env python3
"""Bayesian linear regression against scikit-learn's BayesianRidge and ARDRegression.

  bench/regress.py                          100,000 rows, 50 columns
  bench/regress.py --rows 20000 --rounds 3

Seconds of scikit-learn are those of `fit` on an array in memory; ours once those of the fit (trace.csv) and once those of
the whole command, which reads the array from a file and writes the results. They take turns; a time is the least over the rounds.
Held-out log densities, in nats per row, are all by `kullback predict`: scikit-learn's posterior (coef_, sigma_, alpha_) is
written into state.npy of a fit of ours. The exit code is 1 where ours is slower than 5 times the speed of the other, or predicts
worse by more than 1e-4 nats per row.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import venv  # noqa: E402

venv.rerun_with("numpy", "scikit-learn")
import numpy as np  # noqa: E402
from sklearn.linear_model import ARDRegression, BayesianRidge  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
RIVALS = {"ridge": BayesianRidge, "ard": ARDRegression}
SPEED_GOAL, DENSITY_GOAL = 5, 1e-4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    return parser.parse_args()


def table(rows, columns, seed):
    """Half of the columns matter; columns are correlated."""
    rng = np.random.default_rng(0)
    weights = np.where(np.arange(columns) % 2 == 0, rng.normal(size=columns), 0)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)) + 0.5 * rng.normal(size=(rows, 1))
    return np.column_stack([x, 1 + x @ weights + 2 * rng.normal(size=rows)])


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")


def ours(options, folder, prior):
    """Folder of a fit, seconds of fitting and of the command."""
    out = folder / f"fit-{prior}"
    began = time.perf_counter()
    run([options.kullback, "regress", folder / "train.npy", "--target", f"c{options.columns + 1}", "--prior", prior, "--seed", 1,
         "--threads", options.threads, "--quiet", "--no-units", "--force", "--out", out])
    whole = time.perf_counter() - began
    return out, float((out / "trace.csv").read_text().split()[-1].split(",")[3]), whole


def theirs(options, train, prior):
    model = RIVALS[prior]()
    began = time.perf_counter()
    model.fit(train[:, :-1], train[:, -1])
    return model, time.perf_counter() - began


def covariance(model, columns):
    """ARDRegression has that of the columns it keeps; the others are known to be 0."""
    if model.sigma_.shape[0] == columns:
        return model.sigma_
    kept = model.lambda_ < model.threshold_lambda
    whole = np.zeros((columns, columns))
    whole[np.ix_(kept, kept)] = model.sigma_
    return whole


def state_of(model, state, rows, columns):
    """scikit-learn's posterior as the state of our model: centres and scales of columns and target, R^2, tau, a bound, then the
    natural parameters of (w, tau); see src/conjugate/regress/dense.cpp."""
    size = columns + 1
    centre, scale = state[:size], state[size:2 * size]
    tau = model.alpha_ * scale[-1] ** 2
    ratio = scale[:-1] / scale[-1]
    mean = np.append((model.intercept_ + model.coef_ @ centre[:-1] - centre[-1]) / scale[-1], model.coef_ * ratio)
    spread = np.zeros((size, size))
    spread[1:, 1:] = covariance(model, columns) * np.outer(ratio, ratio)
    spread[0, 0] = 1 / (tau * rows)  # of the intercept, which scikit-learn does not say
    spread[np.diag_indices(size)] += 1e-14  # of columns that are out
    precision = np.linalg.inv(spread * tau)
    shape = rows / 2
    lower = [(-precision[i, j] if j < i else -precision[i, i] / 2) for i in range(size) for j in range(i + 1)]
    natural = [shape - 1 + size / 2, -shape / tau - mean @ precision @ mean / 2, *(precision @ mean), *lower]
    state = state.copy()
    state[2 * size + 3:2 * size + 3 + len(natural)] = natural
    return state


def density(options, folder, fit):
    run([options.kullback, "predict", fit, folder / "test.npy", "--out", folder / "new", "--force"])
    return json.loads((folder / "new/summary.json").read_text())["mean_log_density"]


def compare(options, folder, train, prior):
    fits, seconds, whole, rival_seconds = None, [], [], []
    for _ in range(options.rounds):
        fits, fitting, command = ours(options, folder, prior)
        seconds.append(fitting)
        whole.append(command)
        model, fitting = theirs(options, train, prior)
        rival_seconds.append(fitting)
    rival = folder / "rival"
    shutil.copytree(fits, rival, dirs_exist_ok=True)
    np.save(rival / "state.npy", state_of(model, np.load(fits / "state.npy"), options.rows, options.columns))
    our_density, rival_density = density(options, folder, fits), density(options, folder, rival)
    coefficients = np.genfromtxt(fits / "coefficients.csv", delimiter=",", skip_header=1, usecols=(1, 2))[1:]
    distance = np.max(np.abs(coefficients[:, 0] - model.coef_) / np.median(coefficients[:, 1]))
    speed = min(rival_seconds) / min(seconds)
    print(f"| {prior} | {min(seconds):.3f} | {min(whole):.3f} | {min(rival_seconds):.3f} | {speed:.1f} | {our_density:.6f} | "
          f"{rival_density:.6f} | {distance:.3f} |", flush=True)
    return speed >= SPEED_GOAL and our_density >= rival_density - DENSITY_GOAL


def main():
    options = arguments()
    options.kullback = options.kullback.resolve()
    train, test = table(options.rows, options.columns, 1), table(options.rows // 5, options.columns, 2)
    print("| prior | fit, s | whole command, s | scikit-learn's fit, s | times faster | held out, ours | scikit-learn's | largest "
          "difference of a coefficient, sd |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "train.npy", train)
        np.save(folder / "test.npy", test)
        met = [compare(options, folder, train, prior) for prior in RIVALS]
    sys.exit(0 if all(met) else 1)


main()
