#!/usr/bin/env python3
"""Compiles each header of src alone that no .cpp includes first: where one does, the build has shown it already.

Each is compiled as its module is in the build folder, behind the same precompiled headers; for the names that these
would hide, tools/check_includes.py looks at the text. The files of a unity build show nothing: they are compiled after
one another. Prints what the compiler says of each header that fails.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
UNITY = re.compile(r"kullback_(\w+)\.dir/Unity/")


def commands_of(build, src):
    """Source file, relative to src -> its entry in the build's list of commands; a unity build's as 'module/*'."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(src):
            commands[path.relative_to(src).as_posix()] = entry
        elif unity := UNITY.search(entry["file"]):
            commands[f"{unity[1]}/*"] = entry
    return commands


def first_includes(src, commands):
    """Headers that a .cpp compiled by itself includes first."""
    texts = ((src / name).read_text(encoding="utf-8") for name in commands if name.endswith(".cpp"))
    return {match[1] for match in map(INCLUDE.search, texts) if match}


def headers_to_compile(src, first):
    found = (path.relative_to(src).as_posix() for path in sorted(src.rglob("*")) if path.suffix in {".hpp", ".h"})
    return [header for header in found if header not in first]


def command_for(header, commands):
    """How a file of the header's module is compiled, without its name and its object: (words, folder), or None."""
    module = header.split("/")[0] + "/"
    entry = next((commands[name] for name in sorted(commands) if name.startswith(module)), None)
    if entry is None:
        return None
    words = shlex.split(entry["command"])
    return words[:words.index("-o")], entry["directory"]


def complaint(header, command):
    """What the compiler says of a header alone; None where nothing."""
    words, folder = command
    result = subprocess.run([*words, "-fsyntax-only", "-x", "c++", "-"], cwd=folder, capture_output=True, text=True,
                            input=f'#include "{header}"\n', check=False)
    return None if result.returncode == 0 else result.stderr


def check_tree(root, build):
    """(Headers compiled, headers whose module is not in the build, printable violations)."""
    src = (root / "src").resolve()
    commands = commands_of(build, src)
    headers = headers_to_compile(src, first_includes(src, commands))
    with_command = [(header, command) for header in headers if (command := command_for(header, commands))]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        complaints = list(pool.map(lambda pair: complaint(*pair), with_command))
    violations = [f"{text}headers: src/{header} does not compile alone; include what it uses"
                  for (header, _), text in zip(with_command, complaints) if text is not None]
    return len(with_command), len(headers) - len(with_command), violations


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="build folder whose precompiled headers are up to date")
    root = pathlib.Path(__file__).resolve().parents[1]
    compiled, left_out, violations = check_tree(root, parser.parse_args().build)
    print(*violations, sep="\n")
    print(f"headers: {compiled} compiled alone" + (f", {left_out} of modules that are not built left out" if left_out else ""))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
