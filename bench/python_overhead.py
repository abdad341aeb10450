#!/usr/bin/env python3
"""bench/python_overhead.py: what Python adds to a gradient and to a fit of eight schools.

Gradients: the same library is called at one point from a loop in C (compiled here) and from Python; the difference is Python's.
Each figure is the least mean of many short loops, so that other work on the machine does not show.

Fits: `kullback fit` as a process against a Python process that does the same in memory, both from start to end, the least of
interleaved rounds after one that does not count (it caches bytecode, as an installation has it). The start of the interpreter
(`python -c pass`) is measured alone and taken off. NumPy is loaded with the first array only, and a fit of files has none until
its draws are asked for; what it takes is shown.

Needs NumPy, a C compiler, and build/kullback and build/libkullback.so.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
PROGRAM, DATA = ROOT / "examples/eight_schools.stan", ROOT / "examples/eight_schools.json"

C_LOOP = r"""
#define _POSIX_C_SOURCE 200809L
#include <kullback.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The least mean of `rounds` loops of `calls`, in microseconds. */
double least_mean(kb_model* model, const double* theta, double* value, double* gradient, int rounds, int calls) {
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    const double start = now();
    for (int c = 0; c < calls; ++c) kb_model_log_density(model, 1, theta, 1, 0, value, gradient, 0, 0);
    const double each = (now() - start) / calls * 1e6;
    if (each < best) best = each;
  }
  return best;
}
"""


def least_mean(function, rounds, calls):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - start) / calls * 1e6)
    return best


def compiled_loop(folder):
    """The loop in C, in this process: it finds kb_model_log_density in the library that Python has loaded."""
    import ctypes

    from kullback import _library

    _library.library()
    library = _library.find("libkullback.so", "lib", "KULLBACK_LIBRARY")
    source, made = pathlib.Path(folder, "loop.c"), pathlib.Path(folder, "loop.so")
    source.write_text(C_LOOP)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/src/capi", source, library, "-o", made], check=True)
    loop = ctypes.CDLL(str(made)).least_mean
    loop.restype = ctypes.c_double
    return loop


def gradients(rounds, calls):
    import ctypes

    import numpy as np

    import kullback as kb

    model = kb.Model(PROGRAM, DATA)
    theta, gradient, value = np.full(model.dim, 0.1), np.zeros(model.dim), np.zeros(1)
    pointer = lambda array: ctypes.c_void_p(array.ctypes.data)
    bound = model.bind(theta, gradient)
    with tempfile.TemporaryDirectory() as folder:
        loop = compiled_loop(folder)
        in_c = loop(model._handle, pointer(theta), pointer(value), pointer(gradient), rounds, calls)
    empty = least_mean(lambda: None, rounds, calls)
    rows = {
        "model.gradient(theta)": least_mean(lambda: model.gradient(theta), rounds, calls),
        "model.log_density_and_gradient(theta)": least_mean(lambda: model.log_density_and_gradient(theta), rounds, calls),
        "model.bind(theta, gradient)()": least_mean(bound, rounds, calls),
    }
    print(f"One gradient of eight schools, microseconds (an empty loop of Python: {empty:.2f})\n")
    print(f"{'':40}{'each':>8}{'over C':>8}")
    print(f"{'kb_model_log_density from C':40}{in_c:8.2f}{0:8.2f}")
    for name, each in rows.items():
        print(f"{name:40}{each:8.2f}{each - in_c:8.2f}")


def seconds_of(words, environment):
    """Wall time, and processor time of all threads."""
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{words} failed")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def fits(rounds):
    engine = os.environ.get("KULLBACK", str(ROOT / "build/kullback"))
    python = [sys.executable, "-c"]
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); "
    fit = path + f"import kullback as kb; print(kb.fit({str(PROGRAM)!r}, {str(DATA)!r}, method='nuts', seed=1))"
    with tempfile.TemporaryDirectory() as folder:
        out = str(pathlib.Path(folder, "fit"))
        commands = {
            "kullback fit (writes its folder)": [engine, "fit", str(PROGRAM), str(DATA), "--method", "nuts", "--seed", "1",
                                                 "--out", out, "--force"],
            "python: kb.fit, print(fit)": [*python, fit],
            "python: kb.fit(..., out=folder)": [*python, fit.replace("seed=1", f"seed=1, out={out!r}, force=True")],
            "python -c pass": [*python, "pass"],
            "python: import numpy": [*python, "import numpy"],
            "python: import kullback": [*python, path + "import kullback"],
        }
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times = {name: [] for name in commands}
        for _ in range(rounds + 1):
            for name, words in commands.items():
                times[name].append(seconds_of(words, environment))
    print(f"\nEight schools by NUTS, 4 chains, from start to end, milliseconds (least of {rounds})\n")
    print(f"{'':40}{'wall':>8}{'cpu':>8}")
    wall, cpu = ({name: 1e3 * min(v[i] for v in values[1:]) for name, values in times.items()} for i in (0, 1))
    for name in commands:
        print(f"{name:40}{wall[name]:8.1f}{cpu[name]:8.1f}")
    first = next(iter(commands))
    print(f"\n{'over kullback and the interpreter':40}{'wall':>8}{'cpu':>8}")
    for name in list(commands)[1:3]:
        figures = (t[name] - t[first] - t["python -c pass"] for t in (wall, cpu))
        print(f"{name.removeprefix('python: '):40}" + "".join(f"{f:8.1f}" for f in figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000, help="short loops of gradients")
    parser.add_argument("--calls", type=int, default=200, help="gradients in a loop")
    parser.add_argument("--fits", type=int, default=20, help="rounds of fits")
    arguments = parser.parse_args()
    gradients(arguments.rounds, arguments.calls)
    fits(arguments.fits)


if __name__ == "__main__":
    main()
