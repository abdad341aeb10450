#!/usr/bin/env python3
"""Minibatch variational inference of a logistic regression with many rows: how near to the posterior of all
rows, in the time of how many gradients of all rows; and the memory of a fit whose rows stay on disk.

  bench/minibatch.py BUILD [--rows 1000000] [--columns 50]

BUILD is a build folder with the targets kullback and minibatch_bench. Takes some minutes and 3 GB of memory."""
import argparse
import json
import os
import subprocess
import tempfile


def in_memory(build, rows, columns):
    print("| control | rows at a time | largest error of a mean (sd) | of an sd | seconds | gradients of all rows in that time | passes |")
    print("|---|---|---|---|---|---|---|")
    for control, batch in [("anchor", 256), ("anchor", 1024), ("anchor", 4096), ("none", 1024), ("none", 4096)]:
        command = [f"{build}/bench/minibatch_bench", "memory", str(rows), str(columns), str(batch), control]
        if not os.path.exists(command[0]):
            command[0] = f"{build}/minibatch_bench"
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print("| {control} | {batch} | {worst_mean_error_sd:.3f} | {worst_sd_error:.1%} | {fit_s:.2f} | "
              "{fit_in_gradients:.1f} | {passes} |".format(
                  passes=found["facts"]["passes over the data for the fit"], **found), flush=True)
    print(f"\na gradient of all rows: {found['gradient_ms']:.1f} ms; the log density of one of 64 draws: "
          f"{found['log_density_ms']:.1f} ms; finding the rows: {found['finding_rows_s']:.0f} s", flush=True)


def streamed(build, rows, columns):
    bench = f"{build}/bench/minibatch_bench"
    bench = bench if os.path.exists(bench) else f"{build}/minibatch_bench"
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        subprocess.run([bench, "write", str(rows), str(columns), folder], check=True)
        reference = [[float(x) for x in line.split()] for line in subprocess.run(
            [bench, "reference", str(rows), str(columns)], check=True, capture_output=True, text=True).stdout.splitlines()]
        command = [f"{os.path.abspath(build)}/kullback", "fit", "logistic.stan", "sizes.json", "--method", "fullrank",
                   "--minibatch", "N=1024", "--stream", "x=x.f64", "--stream", "y=y.u8", "--seed", "1",
                   "--draws", "128", "--sampling", "antithetic", "--out", "fit", "--quiet"]
        process = subprocess.Popen(command, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"kullback ended with status {status}")
        run = json.load(open(f"{folder}/fit/run.json"))
        lines = [line for line in open(f"{folder}/fit/chain-1.csv") if not line.startswith("#")] \
            if os.path.exists(f"{folder}/fit/chain-1.csv") else []
        print(f"\nstreamed: {rows} x {columns} numbers ({rows * columns * 8 / 1e6:.0f} MB), largest memory "
              f"{usage.ru_maxrss / 1e3:.0f} MB, {run['seconds']:.1f} s after reading the rows, "
              f"passes {run['facts']['passes over the data for the fit']}, k-hat {run['facts']['khat']}")
        worst = mean_error(lines, reference)
        if worst is not None:
            print(f"largest error of a mean: {worst:.3f} sd (128 antithetic draws)")


def mean_error(lines, reference):
    if not lines:
        return None
    names = lines[0].strip().split(",")
    first = names.index("a")
    draws = [[float(x) for x in line.split(",")] for line in lines[1:]]
    means = [sum(draw[first + i] for draw in draws) / len(draws) for i in range(len(reference))]
    return max(abs(mean - centre) / sd for mean, (centre, sd) in zip(means, reference))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--columns", type=int, default=50)
    arguments.add_argument("--only", choices=["memory", "stream"])
    given = arguments.parse_args()
    if given.only != "stream":
        in_memory(given.build, given.rows, given.columns)
    if given.only != "memory":
        streamed(given.build, given.rows, given.columns)


main()
