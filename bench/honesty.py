#!/usr/bin/env python3
"""Are certificates honest? Fits with a tolerance against references of 1e5 effective draws, on programs made for this.

  bench/honesty.py --results DIR                            everything; goes on where an earlier run stopped
  bench/honesty.py --results DIR --steps references         simulate the data and sample the references
  bench/honesty.py --results DIR --steps report             the tables of what is there
  bench/honesty.py --results DIR --posteriordb CHECKOUT     the same judge on posteriordb, for tuning

A fit is falsely `met` where some scalar of the parameters block has |error| - 3.5 standard errors of the reference above the
tolerance: means in reference sds, sds on the log scale (medians and interquartile ranges where the certificate says that it
judged by them). A posterior fails if any method and tolerance is falsely `met`. docs/honesty.md explains more.

DIR keeps data, references (moments only) and certificates; what is there is not computed again, so a new build of the program
needs a new folder, or one without DIR/fits. honesty.md and power.svg in it are the report. The exit code is 1 where a goal is
missed.
"""
import argparse
import concurrent.futures
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from honesty import certificates, hierarchies, judge, references, regressions, report, sequences, subjects  # noqa: E402, F401
from honesty.catalogue import SHAPE  # noqa: E402
from rivals import corpus, fits  # noqa: E402
from variational import OTHER_MODELS  # noqa: E402

METHODS = ["advi", "fullrank", "lowrank", "laplace", "pathfinder", "flow"]
TOLERANCES = [0.05, 0.1, 0.3]
STEPS = ["references", "fits", "report"]


def listed(text):
    return [word for word in text.split(",") if word]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", type=pathlib.Path, default=corpus.ROOT / "build/kullback")
    parser.add_argument("--results", type=pathlib.Path, required=True, help="folder of what is computed")
    parser.add_argument("--programs", type=listed, default=[], help="some of the programs (with --posteriordb: posteriors or models)")
    parser.add_argument("--methods", type=listed, default=METHODS)
    parser.add_argument("--tolerances", type=lambda text: [float(word) for word in listed(text)], default=TOLERANCES)
    parser.add_argument("--replications", type=int, default=1, help="data sets of each program")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time, each with one thread")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for one run")
    parser.add_argument("--steps", type=listed, default=STEPS, help="some of references, fits, report")
    parser.add_argument("--posteriordb", type=pathlib.Path, help="a checkout: judge on its reference draws instead")
    options = parser.parse_args()
    unknown = sorted(set(options.steps) - set(STEPS))
    if unknown:
        parser.error(f"no step '{unknown[0]}'; there are {', '.join(STEPS)}")
    options.kullback = options.kullback.resolve()
    return options


class Pool(concurrent.futures.ThreadPoolExecutor):
    """On Ctrl-C and errors drops what has not begun and ends the fits that run."""

    def each(self, function, those):
        """(argument, future) as calls end."""
        futures = {self.submit(function, one): one for one in those}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], future

    def __exit__(self, kind, *what):
        if kind is not None:
            self.shutdown(wait=False, cancel_futures=True)
            certificates.RUNNING.stop()
        return super().__exit__(kind, *what)


def subjects_of(options):
    """With data and reference, in the order of the catalogue; a line for those whose reference is not there."""
    if options.posteriordb:
        return subjects.of_posteriordb(options, lambda posterior: posterior.program.stem not in OTHER_MODELS)
    wanted = [(program, replication) for program in subjects.select(options.programs)
              for replication in range(1, (1 if program.kind == SHAPE else options.replications) + 1)]
    make = subjects.of_program if "references" in options.steps else subjects.kept_of_program
    found = {}
    with Pool(options.jobs) as pool:
        for (program, replication), future in pool.each(lambda one: make(options, *one), wanted):
            try:
                found[program.name, replication] = future.result()
            except (references.Unfinished, fits.Failed) as why:
                print(f"{program.name}-{replication}: left out: {why}", flush=True)
    return [found[program.name, replication] for program, replication in wanted if (program.name, replication) in found]


def run_fits(options, plans):
    binary = certificates.fingerprint(options.kullback)
    missing = [plan for plan in plans if not plan.path(options.results).exists()]
    print(f"{len(plans) - len(missing)} of {len(plans)} fits are there", flush=True)
    with Pool(options.jobs) as pool:
        calls = pool.each(lambda plan: certificates.run_and_keep(options, binary, plan), missing)
        for done, (plan, future) in enumerate(calls, start=1):
            outcome = future.result()
            told = outcome["certificate"]["verdict"] if "certificate" in outcome else outcome["problem"]
            print(f"{done}/{len(missing)} {plan.subject.name} {plan.method} {plan.tolerance:g}: {told}", flush=True)


def main():
    options = arguments()
    those = subjects_of(options)
    plans = [certificates.Plan(subject, method, tolerance) for subject in those for method in options.methods
             for tolerance in options.tolerances]
    if "fits" in options.steps:
        run_fits(options, plans)
    if "report" in options.steps:
        kept = [plan for plan in plans if plan.path(options.results).exists()]
        if not kept:
            sys.exit(f"honesty.py: no fits in {options.results}; run the step 'fits'.")
        judged = [judge.judge(plan, certificates.read(options, plan)) for plan in kept]
        sys.exit(0 if report.write(judged, options.results) else 1)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, certificates.Interrupted):
        sys.exit(130)
    except fits.Failed as why:
        sys.exit(f"honesty.py: {why}")
