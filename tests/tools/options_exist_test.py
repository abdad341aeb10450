#!/usr/bin/env python3
"""Messages name only options that exist: every --name in a text of the modules behind `fit` and of `deep` is an option of a method, of a
fit, of a part of a network, or of a verb."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2] / "src"
MODULES = ("infer", "fit", "posterior", "certify", "model", "deep")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
RECORD = re.compile(r'(?:Count|Size|Number|Flag|Choice|Text|List)Option(?:<[\w:]+>)?\(\s*"(\w+)"')
NAME = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def known():
    names = set()
    for path in [ROOT / "fit/options.hpp", *(path for module in ("infer", "deep") for path in (ROOT / module).rglob("*.[ch]pp"))]:
        names |= {name.replace("_", "-") for name in RECORD.findall(path.read_text())}
    for path in set((ROOT / "cli").glob("*.cpp")) - {ROOT / "cli/run.cpp"}:  # which has the names of other programs
        names |= set(re.findall(r'"(?:-\w,)?--([a-z-]+)"', path.read_text()))
    return names | {"help", "version"}


def named():
    for module in MODULES:
        for path in sorted((ROOT / module).rglob("*.cpp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.lstrip().startswith("//"):
                    continue
                for text in TEXT.findall(line):
                    for name in NAME.findall(text):
                        yield name.rstrip("-"), f"src/{path.relative_to(ROOT)}:{number}"


def main():
    options, seen = known(), list(named())
    wrong = [f"{place}: there is no option --{name}" for name, place in seen if name not in options]
    print("\n".join(wrong) or f"{len(seen)} mentions of options, all of them exist")
    return 1 if wrong or len(seen) < 100 else 0


sys.exit(main())
