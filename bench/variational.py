#!/usr/bin/env python3
"""Variational inference against posteriordb's reference draws, and against Stan's ADVI.

  bench/variational.py --posteriordb DIR                    all three tables
  bench/variational.py --posteriordb DIR --tables stan      Stan's ADVI alone, which fills the file of its results
  bench/variational.py --posteriordb DIR --tables vi methods --method laplace --methods laplace pathfinder

stan     Stan's own ADVI (mean field, the defaults of rstan's vb) on kullback's density: gradients, evaluations of the density
         alone, errors. Runs that DIR of --results has are not run again. Needs 'bench/against.py prepare' and
         'KULLBACK_BENCH=ON tools/build.sh release stan_variational'.
vi       `kullback fit --method vi` on all posteriors, medians over the seeds, beside Stan's gradients. A posterior
         passes where the worst marginal mean is within 0.1 reference sd.
methods  each named method on ten posteriors: means within 0.3 reference sd, or a finding.

Means and sds are those of 10,000 draws, scrambled Sobol where the method has --sampling. The exit code is 1 where a goal is
missed.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import corpus, errors, fits, reference, stan_advi, systems  # noqa: E402

WITHIN = 0.1            # reference sds, for --method vi
METHODS_WITHIN = 0.3    # for each named method
LARGEST_COST = 0.1      # gradients, over Stan ADVI's, in the median
OTHERS_TO_PASS = 6      # of the posteriors that are no regressions
WANTED = {"--draws": "10000", "--sampling": "sobol"}  # given to the methods that have them
INDEPENDENT = {"iw", "renyi", "cubo"}  # whose best estimators need independent draws

METHODS = ["vi", "advi", "fullrank", "lowrank", "dadvi", "svgd", "flow", "renyi", "cubo", "iw", "ep"]

# Varied and cheap: correlated and small regressions, hierarchies with and without a funnel, recurrences, a process, a
# mixture, simplexes.
TEN = [
    "kidiq-kidscore_momiq",
    "nes2000-nes",
    "mesquite-logmesquite",
    "arK-arK",
    "eight_schools-eight_schools_noncentered",
    "eight_schools-eight_schools_centered",
    "garch-garch11",
    "gp_pois_regr-gp_regr",
    "low_dim_gauss_mix-low_dim_gauss_mix",
    "hmm_example-hmm_example",
]

# Models whose likelihood is not normal with a mean linear in the coefficients; the other 34 posteriors are regressions.
OTHER_MODELS = {
    "accel_gp", "arma11", "eight_schools_centered", "eight_schools_noncentered", "garch11", "gp_pois_regr", "gp_regr",
    "hmm_drive_0", "hmm_drive_1", "hmm_example", "lotka_volterra", "low_dim_gauss_mix", "one_comp_mm_elim_abs",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fits.add_arguments(parser)
    parser.add_argument("--tables", nargs="+", choices=["stan", "vi", "methods"], default=["stan", "vi", "methods"])
    parser.add_argument("--method", default="vi", help="the method of the second table")
    parser.add_argument("--methods", nargs="+", default=METHODS, help="those of the third")
    parser.add_argument("--seeds", type=int, default=5, help="seeds 1 to N, of the first two tables")
    parser.add_argument("--method-seeds", type=int, default=1, help="the same, of the third")
    parser.add_argument("--jobs", type=int, default=2, help="fits at the same time, each with one thread")
    parser.add_argument("--results", type=pathlib.Path, help="folder of stan_advi.tsv (default: the cache)")
    parser.add_argument("--stan-variational", type=pathlib.Path, default=corpus.ROOT / "build/bench/stan_variational",
                        help="built by 'KULLBACK_BENCH=ON tools/build.sh release stan_variational'")
    options = parser.parse_args()
    options.results = options.results or options.cache
    return options


@dataclasses.dataclass
class Subject:
    """A posterior and its reference."""
    posterior: fits.Posterior
    references: dict

    @property
    def name(self):
        return self.posterior.name

    @property
    def is_regression(self):
        return self.posterior.program.stem not in OTHER_MODELS


@dataclasses.dataclass
class Outcome:
    """One run of kullback."""
    worst: errors.Worst = dataclasses.field(default_factory=errors.Worst)
    gradients: float = math.inf
    seconds: float = math.inf
    processor_seconds: float = math.inf
    khat: float = math.nan
    findings: list = dataclasses.field(default_factory=list)
    family: str = ""
    problem: str = ""


def subjects(options, cache):
    found = fits.posteriors(options.posteriordb, cache.folder / "data", options.only)
    return [Subject(posterior, reference.read(posterior.draws, cache.folder / "references")) for posterior in found]


class Kullback:
    """The program: which methods it has, and which of the wanted options they read."""

    def __init__(self, program):
        self.program = program
        self.methods = set(re.findall(r"^(\w+)  ", self.said("methods"), re.MULTILINE))

    def said(self, *words):
        done = subprocess.run([str(self.program), *words], capture_output=True, text=True, check=True)
        return done.stdout

    @functools.cache  # noqa: B019  there is one
    def options_of(self, method):
        known = set(re.findall(r"^ +(--[\w-]+)", self.said("methods", method), re.MULTILINE))
        return [word for name, value in WANTED.items() if name in known
                and not (name == "--sampling" and method in INDEPENDENT) for word in (name, value)]


def fit(options, words, subject, method, seed):
    try:
        with tempfile.TemporaryDirectory(prefix="kullback-fit-") as folder:
            found = fits.by_kullback(options.kullback, subject.posterior, seed, pathlib.Path(folder) / "fit",
                                     ["--method", method, "--threads", 1, *words], options.timeout)
        worst = errors.worst(found.marginals, subject.references) if found.marginals else errors.Worst()
        return Outcome(worst, found.gradients, found.seconds, found.processor_seconds, found.khat, found.findings,
                       found.facts.get("family", ""))
    except fits.Failed as why:
        return Outcome(problem=str(why))


def in_parallel(options, calls):
    """The results of the calls (function, arguments...), in their order and as soon as they and those before are there."""
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        yield from [pool.submit(*call) for call in calls]


def median(values):
    return statistics.median(values) if values else math.nan


def cell(value, digits=2):
    if isinstance(value, float) and not math.isfinite(value):
        return "-" if math.isnan(value) else "failed"
    return f"{value:.{digits}f}"


# --- Stan's ADVI ------------------------------------------------------------------------------------------------------

def stan_runs(options, cache, those):
    """(posterior, seed) to Run; runs what the file does not have, where Stan's table is asked for."""
    path = options.results / "stan_advi.tsv"
    runs = stan_advi.read(path)
    missing = [(subject, seed) for subject in those for seed in range(1, options.seeds + 1)
               if (subject.name, seed) not in runs]
    if "stan" not in options.tables or not missing:
        return runs
    for needed, how in ((cache.stan_advi, "bench/against.py prepare"),
                        (options.stan_variational, "KULLBACK_BENCH=ON tools/build.sh release stan_variational")):
        if not needed.exists():
            sys.exit(f"variational.py: {needed} is missing; run '{how}', or leave out the table 'stan'.")
    calls = [(stan_advi.run, options.stan_variational, cache.stan_advi, subject.posterior, subject.references, seed,
              options.timeout) for subject, seed in missing]
    for (subject, seed), future in zip(missing, in_parallel(options, calls)):
        try:
            runs[subject.name, seed] = future.result()
            stan_advi.write(runs, path)
        except fits.Failed as why:
            print(f"Stan's ADVI, {subject.name}, seed {seed}: {why}", flush=True)
    return runs


STAN_ROW = "{:44} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:14} {:>7} {:14}  {}"


def print_stan(options, those, runs):
    print(f"\nStan's ADVI (mean field, rstan's defaults), medians of {options.seeds} seeds; errors in reference sds")
    print(STAN_ROW.format("posterior", "gradients", "least", "most", "values", "CPU ms", "mean", "", "sd", "", "ended"))
    medians, within = [], {False: 0, True: 0}
    for subject in those:
        mine = seeds_of(runs, subject, options.seeds)
        if not mine:
            print(f"{subject.name[:44]:44} not run")
            continue
        gradients = [found.gradients for found in mine]
        medians.append(median(gradients))
        middle = median_run(mine, lambda found: found.mean_error)
        within[subject.is_regression] += middle.mean_error <= WITHIN
        ended = collections.Counter(found.ended for found in mine)
        print(STAN_ROW.format(subject.name[:44], cell(medians[-1], 0), min(gradients), max(gradients),
                              cell(median([found.values for found in mine]), 0),
                              cell(1e3 * median([found.processor_seconds for found in mine]), 0), cell(middle.mean_error),
                              middle.mean_name[:14], cell(middle.sd_ratio), middle.sd_name[:14],
                              " ".join(f"{count} {name}" for name, count in ended.most_common())))
    print(f"median over {len(medians)} posteriors: {cell(median(medians), 0)} gradients; means within {WITHIN} sd on "
          f"{within[True]} regressions and {within[False]} others", flush=True)


def seeds_of(runs, subject, seeds):
    return [runs[subject.name, seed] for seed in range(1, seeds + 1) if (subject.name, seed) in runs]


def median_run(runs, key):
    """The run in the middle; of an even number the worse of the two."""
    return sorted(runs, key=key)[len(runs) // 2]


# --- kullback fit --method vi -----------------------------------------------------------------------------------------

VI_ROW = "{:44} {:3} {:>7} {:14} {:>6} {:14} {:>5} {:>9} {:>9} {:>7} {:>8} {:>8}  {:10} {}"


def run_vi(options, kullback, those, stan):
    """Prints the table; true where the goals are met."""
    print(f"\nkullback fit --method {options.method}, medians of {options.seeds} seeds; errors in reference sds")
    print(VI_ROW.format("posterior", "", "mean", "", "sd", "", "k-hat", "gradients", "Stan's", "ratio", "wall ms", "CPU ms",
                        "family", "findings (seeds)"))
    seeds = range(1, options.seeds + 1)
    words = kullback.options_of(options.method)
    futures = in_parallel(options, [(fit, options, words, subject, options.method, seed) for subject in those for seed in seeds])
    rows = []
    for subject in those:
        outcomes = [next(futures).result() for _ in seeds]
        stans = [found.gradients for (name, _), found in stan.items() if name == subject.name]  # of all its seeds
        rows.append((subject, outcomes, median([x.gradients for x in outcomes]) / median(stans)))
        print_vi_row(*rows[-1], median(stans))
    return print_vi_verdict(rows)


def print_vi_row(subject, outcomes, ratio, stan):
    middle = median_run(outcomes, mean_error_of)
    sd = median_run(outcomes, lambda x: abs(math.log(x.worst.sd_ratio)) if x.worst.sd_ratio > 0 else math.inf).worst
    print(VI_ROW.format(subject.name[:44], "reg" if subject.is_regression else "", cell(middle.worst.mean_error, 3),
                        middle.worst.mean_name[:14], cell(sd.sd_ratio), sd.sd_name[:14],
                        f"{median([x.khat for x in outcomes if not math.isnan(x.khat)]):.2f}".replace("nan", "-"),
                        cell(float(median([x.gradients for x in outcomes])), 0), cell(stan, 0), cell(ratio, 3),
                        cell(1e3 * median([x.seconds for x in outcomes]), 0),
                        cell(1e3 * median([x.processor_seconds for x in outcomes]), 0), middle.family, notes(outcomes)),
          flush=True)


def mean_error_of(outcome):
    return outcome.worst.mean_error


def notes(outcomes):
    """Codes of the findings with the number of seeds, and why runs failed."""
    codes = collections.Counter(code for outcome in outcomes for code in set(outcome.findings))
    problems = sorted({outcome.problem for outcome in outcomes if outcome.problem})
    return " ".join([f"{code}({count})" for code, count in sorted(codes.items())] + [f"[{why}]" for why in problems])


def print_vi_verdict(rows):
    is_met = True
    for title, is_regression in (("regressions", True), ("others", False)):
        mine = [row for row in rows if row[0].is_regression == is_regression]
        wrong = [subject.name for subject, outcomes, _ in mine
                 if not median_run(outcomes, mean_error_of).worst.mean_error <= WITHIN]
        needed = len(mine) if is_regression else min(len(mine), OTHERS_TO_PASS)
        is_met &= len(mine) - len(wrong) >= needed
        print(f"means within {WITHIN} sd: {len(mine) - len(wrong)} of {len(mine)} {title} (goal: {needed})"
              + (f"; not: {', '.join(wrong)}" if wrong else ""))
    ratios = [ratio for _, _, ratio in rows if not math.isnan(ratio)]
    cost = median(ratios)
    print(f"gradients over Stan's: median {cell(cost, 3)} of {len(ratios)} posteriors (goal: {LARGEST_COST}); at most that on "
          f"{sum(ratio <= LARGEST_COST for ratio in ratios)}", flush=True)
    return is_met and not cost > LARGEST_COST


# --- each named method ------------------------------------------------------------------------------------------------

def run_methods(options, kullback, those):
    """Prints the table; true where every method is right or says that it is not."""
    mine = [subject for name in TEN for subject in those if subject.name == name]
    methods = [method for method in options.methods if method in kullback.methods]
    seeds = range(1, options.method_seeds + 1)
    print(f"\neach method on {len(mine)} posteriors, worst mean in reference sds median of {options.method_seeds} seeds; * above "
          f"{METHODS_WITHIN} with a finding, ! without one")
    for number, subject in enumerate(mine, start=1):
        print(f"  ({number}) {subject.name}")
    print(f"{'method':12}" + "".join(f"{f'({number})':>9}" for number in range(1, len(mine) + 1)))
    futures = in_parallel(options, [(fit, options, kullback.options_of(method), subject, method, seed)
                                    for method in methods for subject in mine for seed in seeds])
    told, silent = [], 0
    for method in methods:
        row = f"{method:12}"
        for subject in mine:
            worst = median_run([next(futures).result() for _ in seeds], lambda x: (x.worst.mean_error, -len(x.findings)))
            mark = mark_of(worst)
            silent += mark == "!"
            row += f"{cell(worst.worst.mean_error) + mark:>9}"
            if mark != " ":
                told.append(f"  {method}, {subject.name}: {cell(worst.worst.mean_error)} ({worst.worst.mean_name}) "
                            f"{notes([worst])}")
        print(row, flush=True)
    missing = [method for method in options.methods if method not in kullback.methods]
    print(f"not in this build: {', '.join(missing)}" if missing else "all methods are in this build")
    print("\n".join(told + [f"{silent} above {METHODS_WITHIN} sd without a finding"]), flush=True)
    return silent == 0 and not missing


def mark_of(outcome):
    if outcome.worst.mean_error <= METHODS_WITHIN:
        return " "
    return "*" if outcome.findings else "!"


def main():
    options = arguments()
    cache = systems.Cache(options.cache)
    those = subjects(options, cache)
    stan = stan_runs(options, cache, those)
    if "stan" in options.tables:
        print_stan(options, those, stan)
    kullback = Kullback(options.kullback)
    is_met = True
    if "vi" in options.tables:
        if options.method not in kullback.methods:
            sys.exit(f"variational.py: {options.kullback} has no method '{options.method}'; it has "
                     f"{', '.join(sorted(kullback.methods))}.")
        is_met &= run_vi(options, kullback, those, stan)
    if "methods" in options.tables:
        is_met &= run_methods(options, kullback, those)
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
