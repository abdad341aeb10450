#!/usr/bin/env python3
"""Checks what the sources include against the arrows between modules.

A module may include the modules that its kullback_module line in CMakeLists.txt names, what those may
include, and base. Only dist and deep include LibTorch. Headers stay light: no Eigen, torch, iostream or random.
Eigen's decompositions are instantiated in math/linear_algebra alone, behind math/linear_algebra.hpp: they are what
takes longest to compile. Factors and substitutions by hand are refused elsewhere, as far as their names tell. CLI11 is compiled in the three files of cli that parse with it, for all verbs.
Prints each violation as file:line: sentence.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MODULE_LINE = re.compile(r"^kullback_(?:torch_)?module\((\w+)(?:\s+FAST)?(?:\s+PRECOMPILE\s+<[^)\n]+?>)?(?:\s+DEPENDS\s+([\w\s]+))?\)", re.MULTILINE)
HEADER_SUFFIXES = {".hpp", ".h"}
SOURCE_SUFFIXES = HEADER_SUFFIXES | {".cpp", ".def"}
HEAVY = {"Eigen": "Eigen", "unsupported": "Eigen", "torch": "LibTorch", "ATen": "LibTorch", "c10": "LibTorch",
         "iostream": "<iostream>", "random": "<random>"}
LIGHT_TORCH_HEADER = "torch/types.h"
TORCH_MODULES = {"dist", "deep"}
ALGEBRA = pathlib.PurePath("math/linear_algebra")
ALGEBRA_HEADER = "math/linear_algebra/stored.hpp"
# What other files may include of Eigen: matrices and their products, transforms, a solver that Eigen alone has.
EIGEN_ELSEWHERE = {"Eigen/Core", "unsupported/Eigen/FFT", "unsupported/Eigen/NonLinearOptimization"}
CLI11_FILES = {pathlib.PurePath("cli") / name for name in ("command.cpp", "completion.cpp", "run.cpp")}
# A factor or a substitution by hand, told by its name and its doubles (LibTorch has its own).
HAND_WRITTEN = re.compile(
    r"^(?:template <[^>]*>\s*)?(?:static |inline )?[\w:]+ "
    r"(cholesky\w*|update_cholesky|factor_cholesky|factori[sz]e|lower_inverse|solve_(?:lower|upper|transposed)\w*|"
    r"(?:forward|back(?:ward)?)_substitut\w+)\([^;{)]*\bdouble\b[^;{]*\{", re.MULTILINE)
TRIANGULAR_SOLVE = re.compile(r"triangularView<[^>]*>\(\)\s*\.(?:solve|solveInPlace)\b")


def read_arrows(cmake_text):
    """Module -> the modules directly right of its arrow."""
    return {name: (depends or "").split() for name, depends in MODULE_LINE.findall(cmake_text)}


def reachable(module, arrows):
    """All modules that `module` may include, itself and base among them."""
    seen, waiting = {"base"}, [module]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        waiting.extend(arrows.get(current, []))
    return seen


def includes(text):
    """(line number, is quoted, path) of each #include."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def arrow_violation(file, module, path, src, arrows):
    included = path.split("/")[0]
    if "/" not in path or included.startswith("."):
        if (src / file.parent / path).exists():
            return f'"{path}" is included by a relative path; write it from src, as "module/file.hpp"'
        return None
    if included not in arrows or included in reachable(module, arrows):
        return None
    allowed = ", ".join(sorted(reachable(module, arrows) - {module})) or "no other module"
    return f'{module} may not include {included} ("{path}"); {module} may include {allowed}'


def weight_violation(file, module, path):
    if path == "CLI/CLI.hpp" and file not in CLI11_FILES:
        return "only cli/command.cpp, completion.cpp and run.cpp may include <CLI/CLI.hpp>; use cli/command.hpp"
    heavy = HEAVY.get(path.split("/")[0])
    if heavy is None:
        return None
    if heavy == "LibTorch" and module not in TORCH_MODULES:
        return f"only dist and deep may include LibTorch (<{path}>)"
    if heavy == "Eigen" and ALGEBRA in file.parents:
        return None
    if heavy == "Eigen" and file.suffix not in HEADER_SUFFIXES and path not in EIGEN_ELSEWHERE:
        return f"only math/linear_algebra may include <{path}>; call what math/linear_algebra.hpp declares"
    if file.suffix in HEADER_SUFFIXES and path != LIGHT_TORCH_HEADER:
        return f"a header may not include {heavy} (<{path}>); include it in the .cpp"
    return None


def check_file(file, src, arrows):
    """Violations of one file (relative to src) as (line, sentence)."""
    module = file.parts[0]
    text = (src / file).read_text(encoding="utf-8", errors="replace")
    for line, quoted, path in includes(text):
        sentence = arrow_violation(file, module, path, src, arrows) if quoted else None
        sentence = sentence or weight_violation(file, module, path)
        if path == ALGEBRA_HEADER and ALGEBRA not in file.parents:
            sentence = f'only math/linear_algebra may include "{path}"; include "math/linear_algebra.hpp"'
        if sentence:
            yield line, sentence
    if ALGEBRA not in file.parents:
        for match in TRIANGULAR_SOLVE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield line, "triangular solves are in math/linear_algebra: call solve_lower and its like"
    if ALGEBRA not in file.parents and module not in TORCH_MODULES:
        for match in HAND_WRITTEN.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            yield line, f"{match.group(1)} is dense linear algebra: call or extend math/linear_algebra.hpp"


def check_tree(root):
    """Violations of the repository at `root` as printable lines."""
    arrows = read_arrows((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    src = root / "src"
    found = []
    for path in sorted(src.rglob("*")):
        file = path.relative_to(src)
        if path.suffix not in SOURCE_SUFFIXES or not path.is_file():
            continue
        if len(file.parts) == 1 or file.parts[0] not in arrows:
            found.append(f"src/{file}:1: is in no module; CMakeLists.txt names the modules")
            continue
        found += [f"src/{file}:{line}: {sentence}" for line, sentence in check_file(file, src, arrows)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parents[1])
    violations = check_tree(parser.parse_args().root)
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
