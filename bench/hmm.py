#!/usr/bin/env python3
"""Hidden Markov models: kullback hmm against hmmlearn's variational Gaussian HMM on the same data and priors.

  bench/hmm.py                 both systems, full and diagonal covariances
  bench/hmm.py --rows 20000    smaller data

Time is that of one pass over the data, without reading and first clusters. Quality is the held-out log density per row of
`kullback predict` for both: hmmlearn's posterior is written into the state of one of our fits.
"""
import argparse
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import venv  # noqa: E402

venv.rerun_with("numpy", "hmmlearn")
import numpy as np  # noqa: E402
from hmmlearn import vhmm  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent


def simulate(rows, sequences, columns, states, seed):
    rng = np.random.default_rng(1)  # the model; `seed` is for the data
    means = rng.normal(0, 1.5, (states, columns))
    roots = rng.normal(0, 0.5, (states, columns, columns)) + np.eye(columns)
    moves = 0.9 * np.eye(states) + 0.1 * rng.dirichlet(np.ones(states), states)
    rng = np.random.default_rng(seed)
    path = np.empty(rows, int)
    uniform, steps = rng.random(rows), moves.cumsum(axis=1)
    for t in range(rows):
        is_first = t % (rows // sequences) == 0
        path[t] = int(uniform[t] * states) if is_first else min(states - 1, np.searchsorted(steps[path[t - 1]], uniform[t]))
    noise = rng.normal(size=(rows, columns))
    return means[path] + np.einsum("tij,tj->ti", roots[path], noise)


def write_csv(path, x, sequences):
    run = np.arange(len(x)) // (len(x) // sequences)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["run", *(f"x{c + 1}" for c in range(x.shape[1]))])
        writer.writerows([r, *map(repr, map(float, row))] for r, row in zip(run, x))


class Kullback:
    def __init__(self, program, folder, options):
        self.program, self.folder, self.options = program, folder, options

    def run(self, *arguments):
        done = subprocess.run([str(self.program), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"kullback {' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def fit(self, covariance, passes, threads, out):
        self.run("hmm", "train.csv", "--sequence", "run", "--states", self.options.states, "--covariance", covariance,
                 "--passes", passes, "--bound-tol", 0, "--threads", threads, "--seed", 1, "--no-units", "--quiet",
                 "--force", "--out", out)
        trace = np.loadtxt(self.folder / out / "trace.csv", delimiter=",", skiprows=1)
        return (trace[-1, -1] - trace[0, -1]) / (len(trace) - 1)

    def score(self, fit):
        self.run("predict", fit, "test.csv", "--out", f"{fit}-new", "--force")
        return json.loads((self.folder / f"{fit}-new" / "summary.json").read_text())

    def with_state(self, fit, model, covariance):
        """A copy of a fit with hmmlearn's posterior; its layout is said in docs/hmm.md."""
        copy = f"{fit}-hmmlearn"
        shutil.rmtree(self.folder / copy, ignore_errors=True)
        shutil.copytree(self.folder / fit, self.folder / copy)
        state = np.load(self.folder / fit / "state.npy")
        k, d = model.means_posterior_.shape
        head, centre = k + k * k, state[2 * (k + k * k):2 * (k + k * k) + d]
        natural = []
        for i in range(k):
            beta, m, nu = float(model.beta_posterior_[i]), model.means_posterior_[i] - centre, float(model.dof_posterior_[i])
            if covariance == "full":
                v = model.scale_posterior_[i] + beta * np.outer(m, m)
                natural += [nu - d, beta, *(beta * m), *v[np.triu_indices(d)]]
            else:
                for c in range(d):
                    natural += [nu - 1, beta, beta * m[c], model.scale_posterior_[i][c] + beta * m[c] ** 2]
        q = np.concatenate([model.startprob_posterior_, model.transmat_posterior_.ravel()])
        state[head:2 * head] = q
        state[len(state) - len(natural):] = natural
        np.save(self.folder / copy / "state.npy", state)
        return copy


def rival(x, lengths, states, covariance, passes, implementation):
    spread = np.cov(x.T, bias=True)
    prior = np.broadcast_to(spread, (states, *spread.shape)) if covariance == "full" else np.tile(np.diag(spread), (states, 1))
    model = vhmm.VariationalGaussianHMM(states, covariance_type="full" if covariance == "full" else "diag", n_iter=passes,
                                        tol=-np.inf, random_state=1, scale_prior=prior, implementation=implementation)
    begin = time.perf_counter()
    model.fit(x, lengths)
    return model, time.perf_counter() - begin


def pass_seconds(x, lengths, states, covariance, implementation):
    """Of the difference of two fits, which have the same start."""
    times = [rival(x, lengths, states, covariance, passes, implementation)[1] for passes in (1, 6)]
    return (times[1] - times[0]) / 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--sequences", type=int, default=20)
    parser.add_argument("--columns", type=int, default=5)
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--passes", type=int, default=50, help="of the fits whose quality is compared")
    options = parser.parse_args()
    options.kullback = options.kullback.resolve()
    train = simulate(options.rows, options.sequences, options.columns, options.states, 2)
    test = simulate(options.rows // 5, options.sequences, options.columns, options.states, 3)
    lengths = [options.rows // options.sequences] * options.sequences
    train = train[:sum(lengths)]
    print(f"{len(train):,} rows in {options.sequences} sequences, {options.columns} columns, {options.states} states\n")
    print("| covariance | hmmlearn log, ms a pass | hmmlearn scaling | kullback, 1 thread | 2 threads | times faster | held out, "
          "nats a row: hmmlearn | kullback |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        ours = Kullback(options.kullback, pathlib.Path(name), options)
        write_csv(ours.folder / "train.csv", train, options.sequences)
        write_csv(ours.folder / "test.csv", test, options.sequences)
        for covariance in ("full", "diagonal"):
            one, two = (ours.fit(covariance, options.passes, threads, "ours") for threads in (1, 2))
            slow, fast = (pass_seconds(train, lengths, options.states, covariance, how) for how in ("log", "scaling"))
            model, _ = rival(train, lengths, options.states, covariance, options.passes, "scaling")
            scores = [ours.score(fit)["log_density"] / len(test) for fit in (ours.with_state("ours", model, covariance), "ours")]
            print(f"| {covariance} | {1e3 * slow:.0f} | {1e3 * fast:.0f} | {1e3 * one:.1f} | {1e3 * two:.1f} | {fast / two:.1f} | "
                  f"{scores[0]:.4f} | {scores[1]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
