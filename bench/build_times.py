#!/usr/bin/env python3
"""How long the build takes: whole, and after a change. Prints processor and waiting time beside the goals; exits 1 where one
is missed.

bench/build_times.py [--tasks run edits] [--folder DIR]

It works in a clone of HEAD of its own. `run` is `make run` from nothing with the compiler's cache switched off, packages
installed. `edits` then changes one file at a time in that clone, in a way that changes its object, and builds the program
(kullback-deep for a part of `deep`) again. Other work on the machine makes waiting longer, and processor time a little."""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
APPENDED = "\n[[gnu::used]] static int changed_by_build_times = 0;\n"
# A new option: its record, and its place in the table of the family.
NEW_OPTION = [
    ("namespace option {\n", 'namespace option {\nconstexpr auto kTrial = CountOption("trial", 1, "An option that nothing reads").from(1);\n'),
    ("kOptions[] = {", "kOptions[] = {&option::kTrial, "),
]
# What is edited: name, file, targets, seconds of waiting that are allowed.
EDITS = [
    ("a distribution", "src/math/distributions/gamma.cpp", ["kullback"], 20),
    ("a variational family", "src/infer/vi/families/low_rank.cpp", ["kullback"], 20),
    ("a new option of one family", "src/infer/vi/families/mixture.cpp", ["kullback"], 60),
    ("a command", "src/cli/summary.cpp", ["kullback"], 20),
    ("a deep part", "src/deep/bnn/likelihoods/categorical.cpp", ["kullback-deep"], 20),
]
RUN_GOALS = {"processor": 12 * 60, "waiting": 7 * 60}
SLOWEST_GOAL = 15


def timed(words, folder, environment):
    """(waiting, processor) seconds of a command and of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    waiting = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"build_times: '{' '.join(words)}' failed:\n{done.stdout[-3000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return waiting, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def slowest(build, most=10):
    """The slowest compilations of ninja's log, as (seconds, object)."""
    times = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        if output.endswith(".o"):
            times[output] = (int(end) - int(begin)) / 1000
    return sorted(((seconds, re.sub(r"^.*?\.dir/", "", output)) for output, seconds in times.items()), reverse=True)[:most]


def line(name, seconds, goal):
    missed = goal is not None and seconds > goal
    print(f"{name:52} {seconds:8.1f} s" + (f"   goal {goal:4d}" if goal else "") + ("   MISSED" if missed else ""), flush=True)
    return missed


def time_run(clone, environment):
    waiting, processor = timed(["make", "run"], clone, environment)
    missed = line("make run, waiting", waiting, RUN_GOALS["waiting"])
    missed |= line("make run, processor time", processor, RUN_GOALS["processor"])
    for rank, (seconds, name) in enumerate(slowest(clone / "build")):
        missed |= line(f"  {name}", seconds, SLOWEST_GOAL if rank == 0 else None)
    return missed


def edited(name, text):
    if "new option" not in name:
        return text + APPENDED
    for old, new in NEW_OPTION:
        if text.count(old) != 1:
            sys.exit(f"build_times: '{old.strip()}' is not there once; the edit of '{name}' must follow the file")
        text = text.replace(old, new)
    return text


def time_edits(clone, environment):
    targets = sorted({target for _, _, targets, _ in EDITS for target in targets})
    timed(["tools/build.sh", "release", *targets], clone, environment)
    missed = False
    for name, path, targets, goal in EDITS:
        source = clone / path
        source.write_text(edited(name, source.read_text()))
        waiting, _ = timed(["tools/build.sh", "release", *targets], clone, environment)
        missed |= line(f"after a change of {name} ({path})", waiting, goal)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=["run", "edits"], default=["run", "edits"])
    parser.add_argument("--folder", type=pathlib.Path, help="where to clone to (default: a temporary folder)")
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="kullback-build-times-"))
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    environment = dict(os.environ, CCACHE_DISABLE="1")
    try:
        tasks = {"run": time_run, "edits": time_edits}
        missed = [tasks[task](clone, environment) for task in options.tasks]
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())
