#!/usr/bin/env python3
"""The C++ shown in docs/cpp_models.md: its model is that of the example, its other pieces compile."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
pieces = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "docs/cpp_models.md").read_text(), re.MULTILINE | re.DOTALL)
if len(pieces) < 2:
    sys.exit("docs/cpp_models.md shows no C++")
if pieces[0] not in (ROOT / "examples/eight_schools.cpp").read_text():
    sys.exit("the first model of docs/cpp_models.md is not that of examples/eight_schools.cpp")

compiler = os.environ.get("CXX") or shutil.which("c++")
if compiler is None:
    print("no C++ compiler: the pieces are not compiled")
    sys.exit(0)
HEAD = """#include "model/cpp_model.hpp"
using namespace kullback::model;
extern const std::vector<double> y, sigma;
extern const std::vector<int> group;
"""
program = HEAD + "".join(f"void piece_{i}(Joint& p) {{\n{text}}}\n" for i, text in enumerate(pieces[1:]))
result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "src"), "-x", "c++", "-"],
                        input=program, text=True, capture_output=True)
if result.returncode != 0:
    sys.exit(result.stderr)
print(f"{len(pieces)} pieces are right")
