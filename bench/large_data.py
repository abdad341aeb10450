#!/usr/bin/env python3
"""Peak memory and time of fits of a logistic regression with many rows, and whether both grow no faster than the data.

bench/large_data.py [--rows 10000 50000 500000] [--methods density laplace ...] [--seed 1]

The unit of memory is the numbers themselves: 8 bytes for each element of the 54 columns and for each outcome. A run
fails where its peak, without what the same command takes for 10 rows, is above 3 times the numbers, or where it grows by
more than 3 times the numbers from one size to the next; where --seconds are given, also where a method takes longer with
the largest number of rows. Fewer than 20,000 rows are traced at once, and draws are more than they are: there the growth
alone counts. Minibatches start from the mode of up to 16,384 rows, which are on a tape with their gradients: 96 MB are
taken off."""
import argparse
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

COLUMNS = 54
MOST = 3.0
MANY = 20_000  # rows
SUBSET = {"minibatch": 96e6}  # bytes that do not grow with the rows
LIMIT = 10 * 2**30  # bytes of address space: more is an error, not a machine that swaps
PROGRAM = """data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[K] beta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  y ~ bernoulli_logit(X * beta + alpha);
}
"""
# NUTS with a budget: its memory is that of any number of draws.
METHODS = {
    "density": [],
    "laplace": ["--method", "laplace"],
    "vi": ["--method", "vi"],
    "advi": ["--method", "advi"],
    "minibatch": ["--method", "advi", "--minibatch", "N=1000"],
    "nuts": ["--method", "nuts", "--chains", "2", "--warmup", "20", "--draws", "20"],
    "default": ["--tolerance", "0.1"],
}


def write_data(path, rows, seed):
    draw = random.Random(seed)
    slopes = [draw.gauss(0, 0.3) for _ in range(COLUMNS)]
    outcomes = []
    with open(path, "w") as file:
        file.write('{"N": %d, "K": %d, "X": [' % (rows, COLUMNS))
        for row in range(rows):
            x = [2 * draw.random() - 1 for _ in range(COLUMNS)]
            predictor = 0.5 + sum(a * b for a, b in zip(x, slopes))
            outcomes.append("1" if draw.random() < 1 / (1 + math.exp(-predictor)) else "0")
            file.write((",\n[" if row else "\n[") + ",".join(["%.15g" % number for number in x]) + "]")
        file.write('],\n"y": [' + ",".join(outcomes) + "]}\n")


def run(kullback, method, program, data, scratch):
    """Peak memory in bytes, wall and processor seconds."""
    words = [kullback, "density", program, data, "--repeat", "3"]
    if method != "density":
        words = [kullback, "fit", program, data, "--seed", "1", "--threads", "2", "--force",
                 "--out", scratch / "fit", *METHODS[method]]
    began = time.perf_counter()
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 2):  # 2: a certificate that is not met
        sys.exit(f"{' '.join(map(str, words))} ended with {process.returncode}:\n{output}")
    return usage.ru_maxrss * 1024, time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rows", type=int, nargs="+", default=[10_000, 50_000, 500_000])
    words.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--seconds", type=float, nargs="*", default=[],
                       help="the most wall seconds of each of the methods, in their order, at the largest number of rows")
    given = words.parse_args()
    kullback = os.environ.get("KULLBACK", "build/kullback")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        program = scratch / "logistic.stan"
        program.write_text(PROGRAM)
        small = scratch / "small.json"
        write_data(small, 10, given.seed)
        base = run(kullback, "density", program, small, scratch)[0], run(kullback, "laplace", program, small, scratch)[0]
        print(f"{'rows':>8} {'numbers':>9} {'method':<10} {'peak':>9} {'ratio':>6} {'wall':>8} {'processor':>10}")
        last = {}
        for rows in sorted(given.rows):
            data = scratch / "data.json"
            write_data(data, rows, given.seed)
            numbers = 8 * rows * (COLUMNS + 1)
            for place, method in enumerate(given.methods):
                peak, wall, processor = run(kullback, method, program, data, scratch)
                ratio = (peak - base[method != "density"] - SUBSET.get(method, 0)) / numbers
                print(f"{rows:8} {numbers / 1e6:6.0f} MB {method:<10} {peak / 1e6:6.0f} MB {ratio:6.2f} {wall:6.2f} s"
                      f" {processor:8.2f} s", flush=True)
                if rows >= MANY and ratio > MOST:
                    failed.append(f"{method} with {rows} rows: {ratio:.2f} times the numbers, more than {MOST}")
                if method in last:
                    growth = (peak - last[method][0]) / (numbers - last[method][1])
                    if growth > MOST:
                        failed.append(f"{method} with {rows} rows: grows by {growth:.2f} times the numbers")
                last[method] = peak, numbers
                if rows == max(given.rows) and place < len(given.seconds) and wall > given.seconds[place]:
                    failed.append(f"{method} with {rows} rows: {wall:.1f} s, more than {given.seconds[place]}")
            data.unlink()
    for failure in failed:
        print(failure, file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
