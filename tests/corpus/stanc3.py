#!/usr/bin/env python3
"""Runs `kullback check` over stanc3's own integration tests and compares with what stanc says.

usage: tests/corpus/stanc3.py STANC3_CHECKOUT [--kullback build/kullback] [--show 40]

Prints how many good programs are accepted, how many bad ones are rejected, and for how many of those the
first error is on the line stanc names; then the failures. bad/removed_features is left out: those programs
are old Stan, which we accept on purpose. Exits with 1 where a figure is below its target.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

TARGETS = {"good accepted": 0.99, "bad rejected": 0.97, "same line": 0.90}
COMMAND = re.compile(r"^  \$ (?:.*/)?stanc\b(.*)$")
PLACE = re.compile(r"(?:Syntax|Semantic) error in '(.*?)', line (\d+)")


def stanc_errors(expected):
    """{program: (file, line)} from a cram file; a program whose run shows no error is left out."""
    errors, program = {}, None
    for text in expected.read_text(errors="replace").splitlines():
        if command := COMMAND.match(text):
            names = [word for word in command[1].split() if word.endswith((".stan", ".stanfunctions"))]
            program = (expected.parent / names[-1]).resolve() if names else None
        elif program and program not in errors and (place := PLACE.search(text)):
            errors[program] = (pathlib.Path(place[1]).name, int(place[2]))
    return errors


def first_error(kullback, program, include):
    """(accepted, (file, line) of the first error)"""
    run = subprocess.run([kullback, "check", "--no-warnings", "--json", "--include-path", include, program],
                         capture_output=True, text=True, timeout=60)
    if run.returncode not in (0, 65):
        raise SystemExit(f"{program}: exit {run.returncode}\n{run.stderr}")
    errors = json.loads(run.stdout)
    place = (pathlib.Path(errors[0]["file"]).name, errors[0]["line"]) if errors else None
    return run.returncode == 0, place, errors[0]["message"] if errors else ""


def programs_below(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".stan", ".stanfunctions") and p.is_file())


def check_good(kullback, tests):
    accepted, failures = 0, []
    programs = programs_below(tests / "good")
    for program in programs:
        ok, place, message = first_error(kullback, program, tests / "included")
        accepted += ok
        if not ok:
            failures.append(f"good, but rejected: {program}:{place[1]}: {message}")
    return accepted, len(programs), failures


def check_bad(kullback, tests):
    rejected, same, located, failures = 0, 0, 0, []
    programs = [p for p in programs_below(tests / "bad") if "removed_features" not in p.parts]
    expected = {}
    for cram in (tests / "bad").rglob("stanc.expected"):
        expected.update(stanc_errors(cram))
    programs = [p for p in programs if p.resolve() in expected]
    for program in programs:
        ok, place, message = first_error(kullback, program, tests / "included")
        wanted = expected[program.resolve()]
        if ok:
            failures.append(f"bad, but accepted: {program} (stanc: line {wanted[1]})")
            continue
        rejected += 1
        located += 1
        same += place == wanted
        if place != wanted:
            failures.append(f"another line: {program}: stanc {wanted[0]}:{wanted[1]}, we {place[0]}:{place[1]}: {message}")
    return rejected, len(programs), same, located, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stanc3", type=pathlib.Path)
    parser.add_argument("--kullback", default="build/kullback")
    parser.add_argument("--show", type=int, default=40, help="failures to print")
    arguments = parser.parse_args()
    tests = arguments.stanc3 / "test" / "integration"
    if not tests.is_dir():
        raise SystemExit(f"{tests} is no folder; give the path of a stanc3 checkout")
    accepted, good, good_failures = check_good(arguments.kullback, tests)
    rejected, bad, same, located, bad_failures = check_bad(arguments.kullback, tests)
    for failure in (good_failures + bad_failures)[: arguments.show]:
        print(failure)
    met = True
    for name, part, whole in (("good accepted", accepted, good), ("bad rejected", rejected, bad), ("same line", same, located)):
        share = part / max(whole, 1)
        met &= share >= TARGETS[name]
        print(f"{name:14} {part:5} of {whole:5}  {100 * share:6.2f} %  (target {100 * TARGETS[name]:.0f} %)")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
