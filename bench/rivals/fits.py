"""Fits of posteriordb's posteriors by kullback, and by Stan's own algorithms on kullback's density."""
import csv
import json
import math
import pathlib
import re
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass, field

from . import corpus


@dataclass
class Fit:
    """What one run ended in; `marginals` has the rows of summary.json by name."""
    marginals: dict
    gradients: int           # all: starts, warm-up, draws
    sampling_gradients: int  # leapfrog steps after warm-up
    seconds: float           # of the wall, file to summary
    processor_seconds: float
    findings: list = field(default_factory=list)  # codes
    step_sizes: list = field(default_factory=list)
    acceptance: float = 0.0
    khat: float = math.nan   # of the approximation, where the run tells it
    facts: dict = field(default_factory=dict)  # what else the method says of the run

    def efficiencies(self, names):
        """Bulk ESS of the marginals, smallest and mean."""
        sizes = [number(self.marginals[name]["ess_bulk"]) for name in names]
        return min(sizes), sum(sizes) / len(sizes)

    def mixes(self, names):
        return all(number(self.marginals[name]["rhat"]) < 1.05 for name in names)


class Failed(Exception):
    pass


def number(value):
    return float(value)  # "NaN" and "Infinity" are strings in our JSON


def run(words, timeout):
    """Standard output, seconds of the wall and of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"more than {timeout} s") from None
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise Failed(lines[0][:100] if lines else f"exit code {done.returncode}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, seconds, used


def sampler_columns(folder, names):
    """Columns of all chains' files, chain after chain."""
    columns = [[] for _ in names]
    for path in sorted(folder.glob("chain-*.csv")):
        with path.open() as file:
            rows = csv.reader(line for line in file if not line.startswith("#"))
            head = next(rows)
            places = [head.index(name) if name in head else None for name in names]
            if places == [None] * len(names):
                continue
            for row in rows:
                for column, place in zip(columns, places):
                    if place is not None:
                        column.append(float(row[place]))
    return columns


def by_kullback(program, posterior, seed, folder, options, timeout):
    shutil.rmtree(folder, ignore_errors=True)
    method = [] if "--method" in options else ["--method", "nuts"]
    _, seconds, used = run([program, "fit", posterior.program, posterior.data, "--seed", seed, "--out", folder, "--quiet",
                            *method, *options], timeout)
    record = json.loads((folder / "run.json").read_text())
    told = folder / "summary.json"  # there is none where a method found no draws
    rows = json.loads(told.read_text())["parameters"] if told.exists() else []
    leapfrogs, steps, acceptance = sampler_columns(folder, ["n_leapfrog__", "stepsize__", "accept_stat__"])
    return Fit({row["name"]: row for row in rows}, record["gradients"], int(sum(leapfrogs)), seconds, used,
               [finding["code"] for finding in record["findings"]], sorted(set(steps)),
               sum(acceptance) / max(1, len(acceptance)), khat_of(record), record.get("facts", {}))


def khat_of(record):
    """That of the run's facts, or of the finding that says that it is too large."""
    if "khat" in record.get("facts", {}):
        return number(record["facts"]["khat"])
    told = [re.search(r"k-hat (\S+),", finding["evidence"]) for finding in record["findings"] if finding["code"] == "khat"]
    return float(told[0][1]) if told and told[0] else math.nan


def by_stan_sampler(program, library, posterior, seed, timeout):
    text, seconds, used = run([program, library, posterior.program, posterior.data, seed], timeout)
    found = json.loads(text)
    return Fit({row["name"]: row for row in found["summary"]["parameters"]}, found["gradients"],
               int(found["sampling_gradients"]), seconds, used, ["divergences"] if found["divergences"] else [],
               found["step_sizes"], found["acceptance"])


def add_arguments(parser):
    """Those of every script that fits posteriordb's posteriors."""
    parser.add_argument("--posteriordb", type=pathlib.Path, required=True, help="a checkout of posteriordb")
    parser.add_argument("--only", nargs="+", default=[], help="names of posteriors or models")
    parser.add_argument("--kullback", type=pathlib.Path, default=corpus.ROOT / "build/kullback")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path.home() / ".cache/kullback-bench")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one fit")


@dataclass
class Posterior:
    name: str
    program: object
    data: object
    draws: object  # archive of the reference draws


def posteriors(posteriordb, data_folder, only):
    """Those with reference draws; a line for those whose files are not in this checkout."""
    database = posteriordb / "posterior_database"
    found = []
    for path in sorted((database / "posteriors").glob("*.json")):
        record = json.loads(path.read_text())
        reference = record.get("reference_posterior_name")
        if not reference or (only and path.stem not in only and record["model_name"] not in only):
            continue
        draws = database / "reference_posteriors/draws/draws" / f"{reference}.json.zip"
        if not draws.exists() or not corpus.archive(database, record["data_name"]).exists():
            print(f"{path.stem}: left out, since its data or its reference draws are not in {database}")
            continue
        program = database / "models/stan" / f"{record['model_name']}.stan"
        found.append(Posterior(path.stem, program, corpus.unpack(database, record["data_name"], data_folder), draws))
    return found
