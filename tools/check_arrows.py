#!/usr/bin/env python3
"""Checks what the sources include against the arrows between modules.

A module may include the modules that its kullback_module line in CMakeLists.txt names, what those may
include, and base. tools/folder_arrows.txt has the same between the folders of some modules. A folder with more than a few files
opens with a README.md of a few lines. Only dist and deep include LibTorch. Headers stay light: no Eigen, torch, iostream or random.
Eigen's decompositions are instantiated in math/linear_algebra alone, behind math/linear_algebra.hpp: they are what
takes longest to compile. Factors and substitutions by hand are refused elsewhere, as far as their names tell. CLI11 is
compiled in three files of shell alone, for all verbs.
Prints each violation as file:line: sentence.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MODULE_LINE = re.compile(r"^kullback_(?:torch_)?module\((\w+)(?:\s+(?:FAST|COLD))?(?:\s+PRECOMPILE\s+<[^)\n]+?>)?(?:\s+DEPENDS\s+([\w\s]+))?\)", re.MULTILINE)
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
CLI11_FILES = {pathlib.PurePath(name) for name in ("shell/command.cpp", "shell/program.cpp", "shell/description.cpp")}
# A factor or a substitution by hand, told by its name and its doubles (LibTorch has its own).
HAND_WRITTEN = re.compile(
    r"^(?:template <[^>]*>\s*)?(?:static |inline )?[\w:]+ "
    r"(cholesky\w*|update_cholesky|factor_cholesky|factori[sz]e|lower_inverse|solve_(?:lower|upper|transposed)\w*|"
    r"(?:forward|back(?:ward)?)_substitut\w+)\([^;{)]*\bdouble\b[^;{]*\{", re.MULTILINE)
FOLDER_ARROWS = pathlib.PurePath("tools/folder_arrows.txt")
FOLDER_LINE = re.compile(r"(\w+)/(\w+):((?: \w+)*)")
EXCEPTION_LINE = re.compile(r"except (\S+) (\S+): \S.*")
NAMED_FILE = re.compile(r"`([\w./]+\.(?:hpp|cpp|def|h|js|md|txt))`")
FEW_FILES = 5
README_LINES = 10
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


class FolderArrows:
    """The arrows between folders of modules, and the includes that are excepted from them."""

    def __init__(self, text=""):
        self.of_module = {}  # module -> folder -> the folders directly right of its arrow
        self.exceptions = set()  # (file, what it includes)
        self.problems = []  # (line, sentence)
        for number, line in enumerate(text.splitlines(), start=1):
            if folder := FOLDER_LINE.fullmatch(line):
                self.of_module.setdefault(folder[1], {})[folder[2]] = folder[3].split()
            elif exception := EXCEPTION_LINE.fullmatch(line):
                self.exceptions.add(exception.groups())
            elif line.strip() and not line.startswith("#"):
                self.problems.append((number, "is neither 'module/folder: folders' nor 'except FILE FILE: reason'"))
        for module, arrows in self.of_module.items():
            self.problems += [(1, sentence) for sentence in table_problems(module, arrows)]

    def violation(self, file, path):
        """The sentence for file (relative to src) that includes path, or None."""
        module, included = file.parts[0], pathlib.PurePath(path)
        arrows = self.of_module.get(module)
        if arrows is None or included.parts[0] != module or len(included.parts) < 3 or (str(file), path) in self.exceptions:
            return None
        target = included.parts[1]
        if len(file.parts) < 3:
            return f'the files of {module} itself may include none of its folders ("{path}")'
        folder = file.parts[1]
        allowed = reachable(folder, arrows) - {"base"}
        if target in allowed:
            return None
        names = ", ".join(sorted(allowed - {folder})) or "no other folder"
        return f'{module}/{folder} may not include {module}/{target} ("{path}"); of {module} it may include {names} ({FOLDER_ARROWS})'

    def check(self, src):
        """Violations of the table itself and of the folders that it should name, as printable lines."""
        found = [f"{FOLDER_ARROWS}:{line}: {sentence}" for line, sentence in self.problems]
        for module, arrows in self.of_module.items():
            there = {path.name for path in (src / module).iterdir() if path.is_dir()} if (src / module).exists() else set()
            found += [f"src/{module}/{folder}: has no line in {FOLDER_ARROWS}" for folder in sorted(there - set(arrows))]
            found += [f"{FOLDER_ARROWS}: src/{module}/{folder} does not exist" for folder in sorted(set(arrows) - there)]
        for file, path in sorted(self.exceptions):
            text = (src / file).read_text(encoding="utf-8") if (src / file).exists() else ""
            if path not in [included for _, _, included in includes(text)]:
                found.append(f"{FOLDER_ARROWS}: src/{file} does not include {path}: the exception is not needed")
        return found


def table_problems(module, arrows):
    """Sentences about folders that are not there, and arrows that lead back."""
    for folder, right in arrows.items():
        for other in right:
            if other not in arrows:
                yield f"{module}/{folder} may include {module}/{other}, which has no line"
            elif folder in reachable(other, arrows):
                yield f"{module}/{folder} may include {module}/{other}, and the other way round"


def named_files(readme):
    """(line number, path) of the files that a README names in code spans."""
    for number, line in enumerate(readme.read_text(encoding="utf-8").splitlines(), start=1):
        yield from ((number, match[1]) for match in NAMED_FILE.finditer(line))


def readme_violations(src, modules):
    """Modules, and their folders with more than a few files, that do not open with a README.md of a few lines."""
    for module in sorted(modules):
        for folder in [src / module, *sorted(path for path in (src / module).glob("*") if path.is_dir())]:
            files = [path for path in folder.rglob("*") if path.is_file() and path.name != "README.md"]
            readme = folder / "README.md"
            name = folder.relative_to(src)
            if readme.exists():
                lines = len(readme.read_text(encoding="utf-8").splitlines())
                if lines > README_LINES:
                    yield f"src/{name}/README.md:{README_LINES + 1}: is beyond the {README_LINES} lines that a README has here"
                for number, file in named_files(readme):
                    if not any((place / file).exists() for place in (folder, src, src.parent)):
                        yield f"src/{name}/README.md:{number}: there is no {file}"
            elif files and (folder.parent == src or len(files) > FEW_FILES):
                yield (f"src/{name}: has no README.md, which says what lives here, the file to copy, and what does not belong "
                       f"(src/infer/README.md is one)")


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
        return "only shell/command.cpp, shell/program.cpp and shell/description.cpp may include <CLI/CLI.hpp>; use shell/command.hpp"
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


def check_file(file, src, arrows, folders):
    """Violations of one file (relative to src) as (line, sentence)."""
    module = file.parts[0]
    text = (src / file).read_text(encoding="utf-8", errors="replace")
    for line, quoted, path in includes(text):
        sentence = arrow_violation(file, module, path, src, arrows) or folders.violation(file, path) if quoted else None
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
    table = root / FOLDER_ARROWS
    folders = FolderArrows(table.read_text(encoding="utf-8") if table.exists() else "")
    found = folders.check(src) + list(readme_violations(src, arrows))
    for path in sorted(src.rglob("*")):
        file = path.relative_to(src)
        if path.suffix not in SOURCE_SUFFIXES or not path.is_file():
            continue
        if len(file.parts) == 1 or file.parts[0] not in arrows:
            found.append(f"src/{file}:1: is in no module; CMakeLists.txt names the modules")
            continue
        found += [f"src/{file}:{line}: {sentence}" for line, sentence in check_file(file, src, arrows, folders)]
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
