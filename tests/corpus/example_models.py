#!/usr/bin/env python3
"""Evaluates the programs of stan-dev/example-models with the data beside them, and checks their gradients.

usage: tests/corpus/example_models.py CHECKOUT [--kullback build/kullback] [--only misc/irt] [--jobs 1] [--show 80]

Pairs: X.stan goes with X.data.R, X.data.json and X.json of its folder (both formats are run: they are two readers).
A program without any of these goes with one file of each format (*.data.R, *.data.json, *.json; never *.init.*) of its
folder, of data/ in it or of data/ beside it: the one that names all variables of its data block and whose name begins
most like the program's. ARM's programs often share the data of a chapter. A program without a data block needs none.
Programs without data are counted and left out.

Point: q[i] = 0.1 + 0.05 (i mod 7) - 0.15 (i mod 3). Where the density there is not finite, Stan's own way: uniform(-2, 2)
with seeds 1 to 20, then uniform(-0.1, 0.1), the origin, and q[i] = 1 + 0.02 i. A pair agrees where the gradient is within 1e-5 of central
differences, relative to 1 + |gradient|, or to the accuracy that rounding leaves them: 1e-15 |log density| / h, h = 1e-5.

Data that do not fit their program are a fault of the repository and counted apart, with the sentence. So are files that
are empty, and those of FAULTS, whose density is zero or undefined wherever it is evaluated; each says why.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-5
SECONDS = 120
SEEDS = 20
BLOCK_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", re.S | re.M)
DATA_BLOCK = re.compile(r"(?<![\w])(?<!transformed )data\s*\{(.*?)\}\s*(?=transformed|parameters|model|generated|$)", re.S)
DECLARED = re.compile(r"([A-Za-z]\w*)\s*(?:\[[^;]*\])?\s*;")
R_NAME = re.compile(r"""^\s*["'`]?([A-Za-z][\w.]*)["'`]?\s*(?:<-|=)""", re.M)
FAULTS = {
    "basic_estimators/normal_mixture_k.data.R": "an R script that calls rnorm, not a dump",
    "basic_estimators/normal_mixture_k_prop.data.R": "an R script that calls rnorm, not a dump",
    "ARM/Ch.17/latent_glm_17.7.stan": "truncates to T[100, 0] where y is 0",
    "ARM/Ch.17/robit_17.7.stan": "truncates to T[100, 0] where y is 0",
    "ARM/Ch.17/multilevel_poisson_17.5.stan": "one offset is -Inf where stops is 3",
    "ARM/Ch.7/wells.stan": "matrix[N, 1] times vector[2]",
    "ARM/Ch.9/electric_tr.stan": "matrix[N, 1] times vector[2]",
    "bugs_examples/vol1/dogs/dogs.stan": "adds to ints it never sets",
    "misc/moving-avg/maQ.stan": "Q = 3 lags, vector[2] of coefficients",
}
# What the loader says of data that do not fit; not of files that it cannot read.
MISFIT = re.compile(r"declares|is missing|is not in|but must|out of|not an? (int|integer)|elements;")


def start_points(dim):
    yield [0.1 + 0.05 * (i % 7) - 0.15 * (i % 3) for i in range(dim)]
    for width in (2.0, 0.1):
        for seed in range(1, SEEDS + 1):
            generator = random.Random(seed)
            yield [generator.uniform(-width, width) for _ in range(dim)]
    yield [0.0] * dim
    yield [1 + 0.02 * i for i in range(dim)]


def data_names(program):
    """The names of the data block, or None where the program has none."""
    text = BLOCK_COMMENT.sub(" ", program.read_text(errors="replace"))
    block = DATA_BLOCK.search(text)
    if block is None:
        return None
    names = DECLARED.findall(block.group(1))
    return set(names) if names else None


def names_in(file):
    text = file.read_text(errors="replace")
    if file.suffix == ".json":
        try:
            value = json.loads(text)
        except ValueError:
            return set(re.findall(r'"(\w+)"\s*:', text))
        return set(value) if isinstance(value, dict) else set()
    return set(R_NAME.findall(text))


def data_files(program):
    own = [program.with_name(program.stem + end) for end in (".data.R", ".data.json", ".json")]
    own = [file for file in own if file.is_file()]
    if own:
        return own
    wanted = data_names(program)
    if wanted is None:
        return [None]
    folders = [program.parent, program.parent / "data", program.parent.parent / "data"]
    fitting = [file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir())
               if file.name.endswith((".data.R", ".json")) and ".init." not in file.name and wanted <= names_in(file)]
    closest = {}
    for file in sorted(fitting, key=lambda file: -len(os.path.commonprefix([file.name, program.name]))):
        closest.setdefault(file.suffix, file)
    return list(closest.values())


class Runner:
    def __init__(self, kullback, scratch):
        self.kullback, self.scratch = kullback, pathlib.Path(scratch)

    def density(self, program, data, point=None, check=False):
        words = [self.kullback, "density", str(program)] + ([str(data)] if data else [])
        words += ["--check"] if check else []
        with tempfile.NamedTemporaryFile("w", dir=self.scratch, suffix=".json") as file:
            if point is not None:
                json.dump(point, file)
                file.flush()
                words += ["--point", file.name]
            done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            return None, " ".join(done.stderr.strip().splitlines()[:1]) or f"exit {done.returncode}"
        return json.loads(done.stdout), None

    def judge(self, pair):
        """(verdict, explanation): agree, differ, not finite, misfit, fails."""
        verdict, why = self.evaluate(*pair)
        if verdict not in ("agree", "differ"):
            for file in filter(None, pair):
                for path, fault in FAULTS.items():
                    if str(file).endswith(path):
                        return "misfit", fault
        return verdict, why

    def evaluate(self, program, data):
        if not program.read_text(errors="replace").strip():
            return "misfit", "the program is an empty file"
        try:
            first, problem = self.density(program, data)
            if first is None:
                fits = "density:" not in problem and MISFIT.search(problem) and ".stan:" in problem
                return ("misfit" if fits and "supported" not in problem else "fails"), problem
            message = ""
            for point in start_points(len(first["gradient"])):
                values, problem = self.density(program, data, point)
                if values is None:
                    return "fails", problem
                message = values.get("message", "")
                if not isinstance(values["log_density"], str):
                    return self.compare(program, data, point)
            return "not finite", message
        except subprocess.TimeoutExpired:
            return "fails", f"takes more than {SECONDS} s"

    def compare(self, program, data, point):
        values, problem = self.density(program, data, point, check=True)
        if values is None:
            return "fails", problem
        error = values["check"]["worst_error"]
        noise = 1e-15 * abs(values["log_density"]) / 1e-5
        if not isinstance(error, str) and error <= max(TOLERANCE, noise):
            return "agree", ""
        return "differ", f"coordinate {values['check']['worst_coordinate']}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--kullback", default="build/kullback")
    parser.add_argument("--only", default="", help="programs whose path contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=80, help="failures to print")
    arguments = parser.parse_args()
    programs = sorted(p for p in arguments.checkout.rglob("*.stan") if arguments.only in str(p))
    if not programs:
        raise SystemExit(f"{arguments.checkout} has no .stan files; give the path of an example-models checkout")
    pairs, alone = [], 0
    for program in programs:
        files = data_files(program)
        alone += not files
        pairs += [(program, file) for file in files]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = list(pool.map(Runner(arguments.kullback, scratch).judge, pairs))
    counts = collections.Counter(verdict for verdict, _ in verdicts)
    order = ["misfit", "fails", "not finite", "differ"]
    failures = sorted((order.index(verdict), str(program.relative_to(arguments.checkout)),
                       data.name if data else "no data", why)
                      for (program, data), (verdict, why) in zip(pairs, verdicts) if verdict != "agree")
    for rank, program, data, why in failures[: arguments.show]:
        print(f"{order[rank]}: {program} with {data}: {why}")
    by_program = collections.defaultdict(set)
    for (program, _), (verdict, _) in zip(pairs, verdicts):
        if verdict != "misfit":
            by_program[program].add(verdict)
    agreeing = sum(found == {"agree"} for found in by_program.values())
    usable = len(pairs) - counts["misfit"]
    evaluate = counts["agree"] + counts["differ"]
    print(f"{len(programs)} programs, {alone} without data beside them; {len(pairs)} pairs of program and data, "
          f"{counts['misfit']} do not fit each other")
    print(f"of {usable} pairs {evaluate} evaluate ({100 * evaluate / max(1, usable):.1f} %), "
          f"{counts['agree']} agree with finite differences ({100 * counts['agree'] / max(1, usable):.1f} %); "
          f"{counts['not finite']} are not finite anywhere tried, {counts['fails']} fail")
    print(f"of {len(by_program)} programs with data that fit {agreeing} agree with all of them "
          f"({100 * agreeing / max(1, len(by_program)):.1f} %)")
    return 0 if counts["agree"] >= 0.95 * usable else 1


if __name__ == "__main__":
    sys.exit(main())
