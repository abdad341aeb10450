#!/usr/bin/env python3
"""Runs the language verbs over folders of Stan programs, such as posteriordb and example-models.

usage: tests/corpus/programs.py FOLDER... [--kullback build/kullback] [--show 40]

Of every program below the folders: is it accepted; is its modern form (kullback modernize) accepted without
a warning about old forms; does formatting twice give what formatting once gives; and does the formatted
program mean the same (same typed program)? Empty files are left out. Exits with 1 where any program fails.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys


class Verbs:
    def __init__(self, kullback):
        self.kullback = kullback

    def run(self, *words, text=None):
        return subprocess.run([self.kullback, *words], input=text, capture_output=True, text=True, timeout=120)

    def check(self, program, text=None):
        run = self.run("check", "--json", "--include-path", program.parent, "-" if text is not None else program, text=text)
        if run.returncode not in (0, 65):
            raise SystemExit(f"{program}: exit {run.returncode}\n{run.stderr}")
        return run.returncode == 0, json.loads(run.stdout)

    def rewrite(self, verb, program, text=None):
        run = self.run(verb, "--include-path", program.parent, "-" if text is not None else program, text=text)
        return run.stdout if run.returncode == 0 else None

    def meaning(self, program, text=None):
        run = self.run("check", "--no-warnings", "--dump", "program", "--include-path", program.parent,
                       "-" if text is not None else program, text=text)
        return re.sub(r"\b\d+:\d+\b", "", run.stdout)


def problems(verbs, program):
    accepted, diagnostics = verbs.check(program)
    if not accepted:
        error = next(d for d in diagnostics if d["severity"] == "error")
        yield "rejected", f"{error['line']}: {error['message']}"
        return
    modern = verbs.rewrite("modernize", program)
    modern_accepted, modern_diagnostics = verbs.check(program, modern)
    old = [d for d in modern_diagnostics if d["severity"] == "error" or d["code"].startswith("old-")]
    if not modern_accepted or old:
        yield "modern form rejected", f"{old[0]['line']}: {old[0]['message']}"
    formatted = verbs.rewrite("format", program)
    if formatted is None or verbs.rewrite("format", program, formatted) != formatted:
        yield "format not stable", ""
    elif verbs.meaning(program) != verbs.meaning(program, formatted):
        yield "format changed the meaning", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--kullback", default="build/kullback")
    parser.add_argument("--show", type=int, default=40, help="failures to print for each folder")
    arguments = parser.parse_args()
    verbs, failed = Verbs(arguments.kullback), False
    for folder in arguments.folders:
        programs = sorted(p for p in folder.rglob("*.stan") if p.read_text(errors="replace").strip())
        counts, shown = {}, 0
        for program in programs:
            for kind, detail in problems(verbs, program):
                counts[kind] = counts.get(kind, 0) + 1
                shown += 1
                if shown <= arguments.show:
                    print(f"{kind}: {program}:{detail}")
        rejected = counts.get("rejected", 0)
        print(f"{folder}: {len(programs) - rejected} of {len(programs)} accepted; "
              + (", ".join(f"{kind} {count}" for kind, count in counts.items() if kind != "rejected") or "all else well"))
        failed |= bool(counts)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
