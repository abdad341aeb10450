#!/usr/bin/env python3
"""The command that a report prints, run as printed somewhere else, makes the same folder again: draws, summary, certificate and all
other numbers to the last bit, and the same record. One more verb or option is one more line of CASES; methods come by themselves."""
import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

KULLBACK = pathlib.Path(os.environ["KULLBACK"]).absolute()

ROWS = """
#include shared.stanfunctions
data { int N; vector[N] x; vector[N] y; array[N] int group; }
parameters { real a; real b; real<lower=0> s; }
model {
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  s ~ exponential(1);
  y ~ normal(line(a, b, x), s);
}
"""
SHARED = "functions { vector line(real a, real b, vector x) { return a + b * x; } }\n"
DRAWN = "generated quantities { real z = normal_rng(0, 1); }\n"

# Words of a first run, in the folder of the files below.
CASES = [
    "fit rows.stan rows.json --include-path 'in cluded'",
    "fit rows.stan rows.json --include-path 'in cluded' --tolerance 0.3 --chains 2 --wasserstein --init 0.5",
    "fit rows.stan rows.json --include-path 'in cluded' --method nuts --chains 1 --warmup 80 --draws 60 --thin 2 --metric dense "
    "--target-accept 0.9 --max-depth 6 --step-size 0.5 --init start.json --tolerance 0.5",
    "fit rows.stan rows.json --include-path 'in cluded' --method nuts --warmup 50 --draws 50 --init pathfinder --checkpoint 5",
    "fit rows.stan rows.json --include-path 'in cluded' --method pathfinder --resample 0 --paths 3",
    "fit rows.stan rows.json --include-path 'in cluded' --method laplace --tolerance 0.2 --wasserstein",
    "fit rows.stan rows.json --include-path 'in cluded' --method vi --family meanfield --minibatch N=8 --strata group --draws 100",
    "fit rows.stan rows.json --include-path 'in cluded' --method advi --batch-size 8 --row-sampling epochs --learning-rate 0.05",
    "fit rows.stan streamed.json --include-path 'in cluded' --method sgld --minibatch N=8 --stream x=x.f64 --stream y=y.f64 "
    "--stream group=group.i32 --draws 50 --warmup 50",
    "fit drawn.stan",
    "fit drawn.stan --method nuts --draws 20 --chains 3",
    "optimize rows.stan rows.json --include-path 'in cluded' --jacobian --history 4",
    "optimize rows.stan rows.json --include-path 'in cluded' --init 0.1 --tol-grad 1e-4",
    "simulate rows.stan rows.json --include-path 'in cluded' --draws 20 --data-sets 2",
    "calibrate rows.stan rows.json --include-path 'in cluded' --method laplace --simulations 20 --level 0.05 --draws 100",
]


def method_cases():
    listed = subprocess.run([KULLBACK, "methods"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^([a-z]+) +\S", listed, re.MULTILINE)
    names = [name for name in names if name not in ("auto", "kullback")]
    assert len(names) > 20, names
    return [f"fit rows.stan rows.json --include-path 'in cluded' --method {name}{brief(name)}" for name in names]


def brief(name):
    """Few draws where the method has warm-up."""
    help_text = subprocess.run([KULLBACK, "methods", name], capture_output=True, text=True, check=True).stdout
    return " --warmup 60 --draws 40" if "--warmup" in help_text else ""


def write_files(folder):
    x = [i / 10 for i in range(30)]
    y = [1 + 0.5 * v + 0.3 * ((7 * i) % 11 - 5) / 5 for i, v in enumerate(x)]
    group = [1 + i % 2 for i in range(30)]
    (folder / "in cluded").mkdir()
    (folder / "in cluded" / "shared.stanfunctions").write_text(SHARED)
    (folder / "rows.stan").write_text(ROWS)
    (folder / "drawn.stan").write_text(DRAWN)
    (folder / "rows.json").write_text(json.dumps({"N": 30, "x": x, "y": y, "group": group}))
    (folder / "streamed.json").write_text(json.dumps({"N": 30}))
    (folder / "start.json").write_text(json.dumps({"a": 1, "b": 0.5, "s": 0.5}))
    (folder / "x.f64").write_bytes(struct.pack("<30d", *x))
    (folder / "y.f64").write_bytes(struct.pack("<30d", *y))
    (folder / "group.i32").write_bytes(struct.pack("<30i", *group))


def run(command, folder):
    done = subprocess.run(command, cwd=folder, shell=True, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{KULLBACK.parent}:{os.environ['PATH']}"})
    if done.returncode not in (0, 3):  # 3: the tolerance is not met
        raise RuntimeError(f"{command}: exit {done.returncode}\n{done.stderr}")


def printed_command(folder):
    run(f"kullback report {shlex.quote(str(folder))}", folder.parent)
    page = (folder / "report.html").read_text()
    data = json.loads(re.search(r'id="kullback-data">(.*?)</script>', page, re.DOTALL).group(1))
    inputs = next(section for section in data["sections"] if section["name"] == "inputs")
    return inputs["data"]["command"]


def without(value, *names):
    """A JSON value without the members of these names, at any depth."""
    if isinstance(value, list):
        return [without(item, *names) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: without(item, *names) for name, item in value.items() if name not in names}


def numbers_of(path):
    """What a file says of the results: not when, how fast and where they were made."""
    if path.name == "run.json":
        return without(json.loads(path.read_text()), "started", "seconds", "files", "tolerance_is_default")
    if path.suffix == ".json":
        return without(json.loads(path.read_text()), "seconds")
    if path.suffix == ".csv":
        return [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return path.read_bytes()


def files_of(folder):
    # NetCDF has the time of its making, and its numbers are those of the CSV files.
    names = {path.name for path in folder.iterdir() if path.is_file()}
    return sorted(names - {"events.jsonl", "report.html", "posterior.nc"})


def differences(first, second):
    if files_of(first) != files_of(second):
        return [f"files {files_of(first)} and {files_of(second)}"]
    return [name for name in files_of(first) if numbers_of(first / name) != numbers_of(second / name)]


def check(words, files, scratch):
    first, elsewhere = scratch / "first", scratch / "elsewhere"
    elsewhere.mkdir(parents=True)
    run(f"kullback {words} --seed 3 --quiet --out {shlex.quote(str(first))}", files)
    command = printed_command(first)
    run(command, elsewhere)
    made = list(elsewhere.iterdir())
    found = differences(first, made[0]) if len(made) == 1 else [f"folders {made}"]
    if found:
        print(f"not the same: {', '.join(found)}\n  first:  kullback {words} --seed 3\n  report: {command}")
    return not found


def main():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        files = root / "a folder"
        files.mkdir()
        write_files(files)
        cases = CASES + method_cases()
        same = [check(words, files, root / str(i)) for i, words in enumerate(cases)]
    print(f"{sum(same)} of {len(same)} commands gave the same results again")
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
