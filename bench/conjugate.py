#!/usr/bin/env python3
"""Conjugate models: stochastic against coordinate ascent, memory of a stream, machines, cost in rows.

  bench/conjugate.py                      all tables
  bench/conjugate.py --tables svi ranks   some of svi, memory, ranks, linear
  bench/conjugate.py --rows 100000        a smaller stream

svi: the bound of `--method svi` against `cavi` from the same starts, alone and after `--polish` passes of cavi (2 is the default);
  the goal is 0.01 nats per row (of topics: per word, of sequences: per moment, of ratings: per rating).
memory: one pass of svi over 1,000,000 x 20 rows of a mixture with 50 components, streamed; the goal is 500 MB.
ranks: the bound with 1, 2 and 4 processes; the goal is 1e-9 of its size.
linear: seconds of a pass against rows.
The exit code is 1 where a goal is missed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import venv  # noqa: E402

venv.rerun_with("numpy")
import numpy as np  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ["svi", "memory", "ranks", "linear"]
SVI_GOAL, MEMORY_GOAL, RANK_GOAL = 0.01, 500, 1e-9


def gaussian_rows(rows, columns, components, seed=1):
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 2, (components, columns))
    return (means[rng.integers(0, components, rows)] + rng.normal(size=(rows, columns)))


def write_csv(path, head, rows, form="%.6g"):
    np.savetxt(path, rows, delimiter=",", header=",".join(head), comments="", fmt=form)


def write_corpus(path, documents, vocabulary=1000, topics=20, tokens=100, seed=1):
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(vocabulary, 0.05), topics)
    with open(path, "w") as file:
        for theta in rng.dirichlet(np.full(topics, 0.1), documents):
            index, count = np.unique(rng.choice(vocabulary, tokens, p=theta @ words), return_counts=True)
            file.write(f"{len(index)} " + " ".join(f"{i}:{c}" for i, c in zip(index, count)) + "\n")


def write_data(folder):
    """The data of the tables svi and ranks."""
    rng = np.random.default_rng(2)
    np.save(folder / "rows.npy", gaussian_rows(20000, 5, 6))
    group = rng.integers(0, 3, 10000)
    write_csv(folder / "counts.csv", "abc", rng.poisson(np.array([[1, 5, 2], [6, 1, 2], [3, 3, 9]])[group]), "%d")
    shares = rng.dirichlet(np.full(4, 0.5), (3, 6))
    write_csv(folder / "levels.csv", "abcdef", [[rng.choice(4, p=p) for p in shares[g]] for g in group], "%d")
    write_corpus(folder / "corpus.ldac", 3000, vocabulary=400, topics=8)
    states, stays = np.zeros(20000, int), rng.random(20000) < 0.95
    for t in range(1, len(states)):
        states[t] = states[t - 1] if stays[t] else rng.integers(0, 3)
    series = np.array([[0, 0], [3, 1], [-2, 3]])[states] + rng.normal(size=(20000, 2))
    write_csv(folder / "series.csv", ["run", "x", "y"], np.column_stack([np.arange(20000) // 100, series]))
    z = rng.normal(size=(10000, 3))
    np.save(folder / "wide.npy", z @ rng.normal(size=(3, 12)) + 0.5 * rng.normal(size=(10000, 12)))
    x = rng.normal(size=(10000, 8))
    w = np.array([2, -1, 0.5, 0, 0, 0, 1, 0])
    write_csv(folder / "line.csv", [*"abcdefgh", "y"], np.column_stack([x, x @ w + rng.normal(size=10000)]))
    write_csv(folder / "binary.csv", [*"abcdefgh", "y"],
              np.column_stack([x, rng.random(10000) < 1 / (1 + np.exp(-x @ w))]))
    users, items = rng.normal(size=(2000, 3)), rng.normal(size=(100, 3))
    with open(folder / "ratings.csv", "w") as file:
        file.write("user,item,rating\n")
        for u in range(2000):
            for i in rng.choice(100, 30, replace=False):
                file.write(f"u{u},i{i},{3 + users[u] @ items[i] + 0.5 * rng.normal():.4f}\n")


# Name, arguments, arguments of svi.
MODELS = [
    ("mixture gaussian", ["mixture", "rows.npy", "--components", "6"], ["--passes", "20", "--batch", "500"]),
    ("mixture gaussian dp", ["mixture", "rows.npy", "--components", "10", "--weights", "dp"], ["--passes", "60", "--batch", "500"]),
    ("mixture poisson", ["mixture", "counts.csv", "--kind", "poisson", "--components", "3"], ["--passes", "20", "--batch", "500"]),
    ("mixture categorical", ["mixture", "levels.csv", "--kind", "categorical", "--components", "3"], ["--passes", "20", "--batch", "500"]),
    ("topics lda", ["topics", "corpus.ldac", "--topics", "8", "--starts", "6"], ["--passes", "60", "--batch", "500"]),
    ("topics hdp", ["topics", "corpus.ldac", "--kind", "hdp"], ["--passes", "60", "--batch", "300"]),
    ("hmm gaussian", ["hmm", "series.csv", "--sequence", "run", "--states", "3"], ["--passes", "20", "--batch", "20"]),
    ("factors pca", ["factors", "wide.npy", "--factors", "5"], ["--passes", "40", "--batch", "500"]),
    ("factors fa", ["factors", "wide.npy", "--kind", "fa", "--factors", "5"], ["--passes", "40", "--batch", "500"]),
    ("factors matrix", ["factors", "ratings.csv", "--kind", "matrix", "--factors", "4"], ["--passes", "40", "--batch", "200"]),
    ("regress linear", ["regress", "line.csv", "--target", "y"], ["--passes", "20", "--batch", "500"]),
    ("regress logistic", ["regress", "binary.csv", "--kind", "logistic", "--target", "y"], ["--passes", "20", "--batch", "500"]),
]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.runs, self.missed = options, folder, 0, []

    def fit(self, arguments, before=(), threads=None):
        """Summary and peak memory in MB of a fit."""
        self.runs += 1
        out = self.folder / f"fit-{self.runs}"
        command = [*before, str(self.options.kullback), *arguments, "--seed", "1", "--quiet", "--no-units", "--out", str(out)]
        if threads:
            command += ["--threads", str(threads)]
        environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(["/usr/bin/time", "-f", "peak %M", *command], cwd=self.folder, env=environment,
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        summary = json.loads((out / "summary.json").read_text())
        rows = [[float(x) for x in line.split(",")] for line in (out / "trace.csv").read_text().split()[1:]]
        summary["seconds_per_pass"] = (rows[-1][3] - rows[0][3]) / max(1, rows[-1][1] - rows[0][1])
        return summary, int(re.search(r"peak (\d+)", done.stderr).group(1)) / 1024

    def models(self):
        return [model for model in MODELS if self.options.models in model[0]]

    def goal(self, text, is_met):
        if not is_met:
            self.missed.append(text)

    def svi(self):
        print("| model | cavi, nats per unit | svi alone: gap | and 2 passes of cavi | and 20 | per row, word or cell |\n|---|---|---|---|---|---|")
        for name, arguments, more in self.models():
            exact, _ = self.fit([*arguments, "--bound-tol", "1e-9", "--passes", "2000"])
            gaps = [exact["elbo_per_unit"] - self.fit([*arguments, "--method", "svi", *more, "--polish", polish])[0]["elbo_per_unit"]
                    for polish in ("0", "2", "20")]
            rows = 100 if name.startswith(("topics", "hmm")) else 30 if name == "factors matrix" else 1
            per_row = [gap / rows for gap in gaps]
            print(f"| {name} | {exact['elbo_per_unit']:.5f} | " + " | ".join(f"{gap:.5f}" for gap in gaps)
                  + " | " + ", ".join(f"{gap:.5f}" for gap in per_row) + " |", flush=True)
            self.goal(f"svi of {name}: {gaps[1]:.4f} nats per unit, {per_row[1]:.5f} per row", per_row[1] < SVI_GOAL)

    def memory(self):
        rows = self.options.rows
        np.save(self.folder / "stream.npy", gaussian_rows(rows, 20, 50))
        write_csv(self.folder / "stream.csv", [f"x{i}" for i in range(20)], np.load(self.folder / "stream.npy"))
        print("| data | rows | seconds | peak MB |\n|---|---|---|---|")
        for name in ["stream.npy", "stream.csv"]:
            summary, peak = self.fit(["mixture", name, "--components", "50", "--method", "svi", "--passes", "1", "--stream"])
            print(f"| {name} | {rows:,} x 20 | {summary['seconds']:.1f} | {peak:.0f} |", flush=True)
            self.goal(f"{name}: {peak:.0f} MB", peak < MEMORY_GOAL)

    def ranks(self):
        print("| model | 1 process | 2: relative difference | 4 |\n|---|---|---|---|")
        for name, arguments, _ in self.models():
            bounds = []
            for ranks in (1, 2, 4):
                before = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
                bounds.append(self.fit([*arguments, "--passes", "30"], before, threads=1)[0]["elbo"])
            gaps = [abs(bound - bounds[0]) / abs(bounds[0]) for bound in bounds[1:]]
            print(f"| {name} | {bounds[0]:.6f} | {gaps[0]:.1e} | {gaps[1]:.1e} |", flush=True)
            self.goal(f"ranks of {name}: {max(gaps):.1e}", max(gaps) <= RANK_GOAL)

    def linear(self):
        print("| rows | mixture, 20 columns, 20 components: ms per pass | ns per row | factors, 5: ms | ns per row |\n|---|---|---|---|---|")
        for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
            np.save(self.folder / "cost.npy", gaussian_rows(rows, 20, 20))
            times = [self.fit([verb, "cost.npy", option, count, "--passes", "10", "--bound-tol", "0"])[0]["seconds_per_pass"]
                     for verb, option, count in (("mixture", "--components", "20"), ("factors", "--factors", "5"))]
            print(f"| {rows:,} | " + " | ".join(f"{1e3 * t:.1f} | {1e9 * t / rows:.0f}" for t in times) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--models", default="", help="those whose name contains this, in the tables svi and ranks")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the table memory")
    options = parser.parse_args()
    options.kullback = options.kullback.resolve()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options, pathlib.Path(name))
        write_data(bench.folder)
        for table in options.tables:
            print(f"\n## {table}\n")
            getattr(bench, table)()
    for text in bench.missed:
        print(f"missed: {text}")
    sys.exit(1 if bench.missed else 0)


if __name__ == "__main__":
    main()
