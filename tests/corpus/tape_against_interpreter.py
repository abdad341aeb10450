#!/usr/bin/env python3
"""Compares the tape's log density and gradient with the interpreter's, and with stanli's where it is installed.

usage: tests/corpus/tape_against_interpreter.py FOLDER... [--stanli] [--kullback build/kullback] [--jobs 2]

A folder is a checkout of posteriordb or of example-models, or any folder of programs with their data beside them
(NAME.json, NAME.data.R). Of every pair of program and data that fit each other, at the first point where the density
is finite, `kullback density --check` compares the tape with the interpreter, which runs the program without recording
it, at this point, at two near it and beyond each of up to 16 comparisons with parameters: log densities, constants
included, to 1e-8 of 1 + |log density|; and slopes along a random direction with differences of the interpreter's
values, to 1e-5 (what differences of a density of size 1e4 hold). With --stanli (PyPI) log density and gradient are
compared with stanli's too, at three points, to 1e-8, where the data are JSON.

Exits with 1 where anything differs but for what EXPLAINED names.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zipfile

import example_models
import posteriordb

DENSITY = 1e-8
SLOPE = 1e-5
SECONDS = 300
POINTS = 3
# Start points lie on multiples of 0.05, where a double_exponential may have its kink: away from them.
SHIFT = 0.0123
# Program: why the tape and the interpreter, or stanli, may differ there.
ODE = ("solves an ODE: the tape's solver controls the error of sensitivities too, as Stan's does, and takes other "
       "steps than the interpreter's, which has none; both are within the tolerance given to the solver")
EXPLAINED = {
    "/lotka_volterra.stan": ODE,
    "/sir.stan": ODE + " (of 1e-6, which lets a solution near 0 become negative, and be refused, in one of them)",
    "/sir.old.stan": ODE + " (as sir.stan)",
    "/soil_incubation.stan": ODE,
    "/soil_incubation_measurement_err.stan": ODE,
}
TRUNCATED = ("truncation: stanli's derivative of the normal distribution function is an approximation; the tape's gradient "
             "is the exact one (mpmath, 60 digits, checked for normal_censored and normal_truncated) to 5e-15, the "
             "densities agree")
ILL_CONDITIONED = ("a covariance with 1e-9 on its diagonal is nearly singular: rounding is amplified in both; of "
                   "gp-fit-latent, against mpmath with 40 digits, the tape's gradient is off by 1.1e-6, stanli's by 4.3e-7, "
                   "the densities by 5e-9 and 4e-8")
STANLI_EXPLAINED = {
    "/normal_censored.stan": TRUNCATED,
    "/normal_truncated.stan": TRUNCATED,
    "/nnmf.stan": TRUNCATED,
    "/gp-fit-latent.stan": ILL_CONDITIONED,
    "/gp-fit-logit.stan": ILL_CONDITIONED,
    "/gp-fit-multi-output.stan": ILL_CONDITIONED,
    "/gp-fit-pois.stan": ILL_CONDITIONED,
    "/gp-predict-logit.stan": ILL_CONDITIONED,
    "/gp-predict.stan": ILL_CONDITIONED,
    "/kronecker_gp.stan": "eigenvectors of nearly equal eigenvalues: the tape's gradient is that of finite differences "
                          "to 1e-9, stanli's is not; the densities agree",
    "/multilevel_ordered_categorical_17.6.stan": "truncation far in a tail: the tape's gradient is that of finite "
                                                 "differences to 1e-10, stanli's is not; the densities agree",
}


def pairs_of_posteriordb(checkout, scratch):
    database = checkout / "posterior_database"
    for model, data in posteriordb.posteriors(database).items():
        program = database / "models" / "stan" / f"{model}.stan"
        archive = database / "data" / "data" / f"{data}.json.zip"
        if not archive.is_file():
            print(f"no data: {model} needs {archive.name}")
            continue
        target = scratch / f"{data}.json"
        with zipfile.ZipFile(archive) as z:
            target.write_bytes(z.read(z.namelist()[0]))
        yield program, target


def pairs_of(folder, scratch):
    if (folder / "posterior_database").is_dir():
        return list(pairs_of_posteriordb(folder, scratch))
    programs = sorted(folder.rglob("*.stan"))
    if not programs:
        raise SystemExit(f"{folder} has no .stan files; give the path of a checkout")
    return [(program, data) for program in programs for data in example_models.data_files(program)]


class Kullback:
    def __init__(self, path, scratch):
        self.path, self.scratch = path, scratch

    def density(self, pair, point, check=False):
        program, data = pair
        words = [self.path, "density", str(program)] + ([str(data)] if data else []) + ["--check"] * check
        with tempfile.NamedTemporaryFile("w", dir=self.scratch, suffix=".json") as file:
            if point is not None:
                json.dump(point, file)
                file.flush()
                words += ["--point", file.name]
            done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            return None, " ".join(done.stderr.strip().splitlines()[:1]) or f"exit {done.returncode}"
        return json.loads(done.stdout), None


def error_of(ours, theirs):
    if isinstance(ours, str) or isinstance(theirs, str):
        return float("inf")
    return abs(ours - theirs) / (1 + abs(theirs))


# Families of which stanli (0.24) keeps the constants that `~` drops.
STANLI_NORMALIZED = ("inv_wishart", "wishart", "multinomial", "multi_student_t", "ordered_probit", "multi_gp", "wiener")
# In a process of its own, which stanli may end.
STANLI = """
import json, sys, stanli
data = json.load(open(sys.argv[2])) if len(sys.argv) > 2 else {}
model = stanli.Model(stan_file=sys.argv[1], data=data)
values = [model.log_prob_grad(point) for point in json.load(sys.stdin)]
print(json.dumps([(float(log_density), [float(g) for g in gradient]) for log_density, gradient in values]))
"""


class Judge:
    def __init__(self, kullback, stanli):
        self.kullback, self.stanli = kullback, stanli

    def explained(self, program, table):
        return next((why for path, why in table.items() if str(program).endswith(path)), None)

    def __call__(self, pair):
        """A list of (verdict, explanation)."""
        fault = next((why for path, why in example_models.FAULTS.items()
                      if any(str(file).endswith(path) for file in filter(None, pair))), None)
        try:
            return self.judge(pair, fault)
        except subprocess.TimeoutExpired:
            return [("slow", f"takes more than {SECONDS} s")]

    def judge(self, pair, fault):
        first, problem = self.kullback.density(pair, None)
        if first is None:
            unusable = fault or example_models.MISFIT.search(problem) or "[empty-program]" in problem
            return [("misfit" if unusable else "fails", fault or problem)]
        for point in example_models.start_points(len(first["gradient"])):
            point = [x + SHIFT for x in point]
            values, problem = self.kullback.density(pair, point)
            if values is None:
                return [("fails", problem)]
            if not isinstance(values["log_density"], str):
                found = [self.against_interpreter(pair, point)]
                if self.stanli and (pair[1] is None or pair[1].suffix == ".json"):
                    found.append(self.against_stanli(pair, point))
                return found
        return [("misfit" if fault else "not finite", fault or values.get("message", ""))]

    def against_interpreter(self, pair, point):
        values, problem = self.kullback.density(pair, point, check=True)
        if values is None:
            return "fails", problem
        found = values["interpreter"]
        noise = 1e-15 * abs(values["log_density"]) / 1e-5
        worst, slope = found["worst_error"], found["worst_slope_error"]
        are_numbers = not isinstance(worst, str) and not isinstance(slope, str)
        if are_numbers and worst <= DENSITY and slope <= max(SLOPE, noise):
            return "agrees", f"{found['points']} points, {found['beyond_guards']} beyond comparisons"
        text = (f"density {worst} ({found['tape']} against {found['interpreter']}), slope {slope}, "
                f"{found.get('statement', '')}")
        why = self.explained(pair[0], EXPLAINED)
        return ("explained", f"{text}: {why}") if why else ("differs", text)

    def against_stanli(self, pair, point):
        generator = random.Random(1)
        points = [point] + [[x + generator.uniform(-0.2, 0.2) for x in point] for _ in range(POINTS - 1)]
        words = [sys.executable, "-c", STANLI, str(pair[0])] + ([str(pair[1])] if pair[1] else [])
        try:
            done = subprocess.run(words, input=json.dumps(points), capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return "stanli is slow", f"takes more than {SECONDS} s"
        if done.returncode != 0:
            return "stanli refuses", (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:120]
        densities, gradients, differences, largest = [0.0], [0.0], [], 1.0
        answers = json.loads(done.stdout.splitlines()[-1])  # behind what the program prints
        for at, (log_density, gradient) in zip(points, answers, strict=True):
            values, problem = self.kullback.density(pair, at)
            if values is None:
                return "fails", problem
            if isinstance(values["log_density"], str):
                continue
            densities.append(error_of(values["log_density"], log_density))
            differences.append(values["log_density"] - log_density)
            largest = max(largest, abs(log_density))
            gradients += [error_of(a, b) for a, b in zip(values["gradient"], gradient, strict=True)]
        worst = max(densities + gradients)
        if worst <= DENSITY:
            return "agrees with stanli", ""
        text = f"density {max(densities):.3g}, gradient {max(gradients):.3g}"
        why = self.explained(pair[0], STANLI_EXPLAINED)
        steady = differences and max(differences) - min(differences) <= DENSITY * largest
        if max(gradients) <= DENSITY and steady:
            text += f", the same {differences[0]:.6g} everywhere"
            program = pair[0].read_text(errors="replace")
            families = [name for name in STANLI_NORMALIZED if re.search(rf"~\s*{name}\b", program)]
            if families and not why:
                why = f"stanli keeps terms of data alone in {', '.join(families)}, which Stan's code drops"
        return ("explained", f"stanli: {text}: {why}") if why else ("differs from stanli", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--kullback", default="build/kullback")
    parser.add_argument("--stanli", action="store_true", help="compare with stanli too, which Python must find")
    parser.add_argument("--only", default="", help="programs whose path contains this")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        pairs = [pair for folder in arguments.folders for pair in pairs_of(folder, scratch)
                 if arguments.only in str(pair[0])]
        judge = Judge(Kullback(arguments.kullback, scratch), arguments.stanli)
        counts = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for (program, data), verdicts in zip(pairs, pool.map(judge, pairs)):
                for verdict, why in verdicts:
                    counts[verdict] += 1
                    if not verdict.startswith("agrees"):
                        print(f"{verdict}: {program} with {data.name if data else 'no data'}: {why}", flush=True)
    found = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    print(f"{len(pairs)} pairs of program and data: {found}")
    return 1 if counts["differs"] + counts["differs from stanli"] > 0 or counts["agrees"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
