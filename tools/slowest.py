#!/usr/bin/env python3
"""Prints the ten slowest compilations of a build folder, and its ten slowest tests.

Compilations come from ninja's log: the time from start to end of the last run of each command, so a busy machine makes
them longer, and a hit in the compiler cache shows as next to nothing. Tests come from ctest's log of the last run.
"""
import argparse
import pathlib
import re


def compilations(build):
    """Object file -> seconds, by the last entry of each."""
    times = {}
    log = build / ".ninja_log"
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].endswith(".o"):
            times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return times


def tests(build):
    """Test -> seconds."""
    log = build / "Testing" / "Temporary" / "LastTest.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    name, times = None, {}
    for line in text.splitlines():
        if match := re.match(r"\d+/\d+ Testing: (\S+)", line):
            name = match[1]
        elif (match := re.match(r"Test time =\s+([\d.]+) sec", line)) and name:
            times[name] = float(match[1])
    return times


def source_of(path):
    return re.sub(r"^.*?\.dir/", "", path).removesuffix(".o").replace("__/", "../")


def show(title, times, name_of):
    slowest = sorted(times.items(), key=lambda item: -item[1])[:10]
    if not slowest:
        return
    print(f"\n{title} ({len(times)}, {sum(times.values()):.0f} s in all), slowest first:")
    for name, seconds in slowest:
        print(f"  {seconds:7.1f} s  {name_of(name)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="build folder, such as build or build-asan")
    build = parser.parse_args().build
    show(f"Compilations of {build}", compilations(build), source_of)
    show(f"Tests of {build}", tests(build), str)


if __name__ == "__main__":
    main()
