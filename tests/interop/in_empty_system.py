"""Run by try_wheel.sh in the empty system, by its Python: installs the wheel, unpacks the archive, uses both."""
import glob
import os
import re
import statistics
import subprocess
import sys
import sysconfig
import time

ROOM, HOME = "/kullback", "/kullback/venv"
MOST_MEGABYTES, MOST_SECONDS_OF_FIT, MOST_MILLISECONDS_OF_CHECK = 15, 1.0, 10.0
OURS = r"^(g\+\+|libfmt|libsundials|libnetcdf|libeigen|libboost|libcli11|libtorch|openmpi|npm|zlib1g-dev|python3-numpy)"
FIT = """
import kullback as kb
fit = kb.fit("eight_schools.stan", "eight_schools.json", tolerance=0.1, seed=1)
print(fit["mu"].mean(), fit.certificate.verdict)
"""
# Everything that starts the program from Python, and the report in it.
MORE = """
import numpy as np, kullback as kb
rows = np.concatenate([np.random.default_rng(1).normal(m, 1, size=(50, 2)) for m in (-5, 5)])
print(np.round(np.sort(kb.mixture(rows, components=2, seed=1)["components"]["weight"]), 2))
kb.fit("eight_schools.stan", "eight_schools.json", method="laplace", seed=1).report("python.html")
try: kb.bnn({"x": rows[:, 0], "y": rows[:, 1]}, "y")
except kb.Error as error: print(error)
"""
BRIDGE = """
import ctypes
library, error = ctypes.CDLL("./schools.so"), ctypes.c_char_p()
library.bs_model_construct.restype = ctypes.c_void_p
model = library.bs_model_construct(open("eight_schools.json", "rb").read(), ctypes.c_uint(1), ctypes.byref(error))
print(library.bs_param_unc_num(ctypes.c_void_p(model)))
"""
missed = []


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def must(is_so, what, found):
    """A line for what was looked at; the end is told of all that is not so."""
    print(f"  {'ok    ' if is_so else 'MISSED'}  {what}: {found}", flush=True)
    if not is_so:
        missed.append(what)


def seconds(*words):
    begin = time.perf_counter()
    said = run(*words)
    return time.perf_counter() - begin, said


def look_around():
    installed = run("dpkg-query", "--show", "--showformat", "${Package}\n").split()
    must(not any(re.search(OURS, name) for name in installed), "none of our packages is installed",
         f"{len(installed)} packages, {run('ldd', '--version').splitlines()[0]}, Python {sysconfig.get_python_version()}")


def install():
    wheel, archive = glob.glob(ROOM + "/wheels/kullback-*.whl")[0], glob.glob(ROOM + "/kullback-*.tar.gz")[0]
    for path in wheel, archive:
        size = os.path.getsize(path) / 1e6
        must(size <= MOST_MEGABYTES, os.path.basename(path), f"{size:.1f} MB (at most {MOST_MEGABYTES})")
    must("manylinux_2_" in wheel, "the wheel's tag", os.path.basename(wheel).split("-")[-1])
    run("python3", "-m", "venv", HOME)
    took, _ = seconds(HOME + "/bin/pip", "install", "--no-index", "--find-links", ROOM + "/wheels", wheel)
    must(True, "pip install of the wheel and NumPy", f"{took:.1f} s")
    run("tar", "-xzf", archive)
    return archive.removesuffix(".tar.gz")


def use_python():
    took, said = seconds(HOME + "/bin/python", "-c", FIT)
    mean, verdict = said.split()
    # 4.41 by long runs of NUTS; a tolerance of 0.1 sd is 0.33.
    must(abs(float(mean) - 4.41) < 0.33 and verdict == "met", "the first fit of eight schools", f"mean of mu {mean}, {verdict}")
    must(took < MOST_SECONDS_OF_FIT, "its time, with the start of Python and the import",
         f"{took:.2f} s (under {MOST_SECONDS_OF_FIT:.0f})")
    said = run(HOME + "/bin/python", "-c", MORE)
    must("[0.5 0.5]" in said, "kb.mixture", said.splitlines()[0])
    must("kullback-deep" in said, "kb.bnn says what it needs", said.splitlines()[1])
    check_report("python.html", "fit.report()")


def check_report(page, of):
    text = open(page, encoding="utf-8").read()
    is_whole = "d3js.org" in text and "observablehq/plot" in text and not re.search(r'(src|href)="?https?:', text)
    must(is_whole, of + ": one page, plotting library inside", f"{len(text) / 1e6:.2f} MB")


def use_program(program, what):
    times = [1e3 * seconds(program, "check", "long.stan")[0] for _ in range(41)]
    must(statistics.median(times) < MOST_MILLISECONDS_OF_CHECK, what + ": check of 1,000 lines",
         f"{statistics.median(times):.1f} ms, least {min(times):.1f} (under {MOST_MILLISECONDS_OF_CHECK:.0f})")
    said = run(program, "fit", "eight_schools.stan", "eight_schools.json", "--seed", "1", "--tolerance", "0.1", "--out", "fit", "--force")
    must("Tolerance 0.1: met" in said, what + ": fit", "tolerance met")
    run(program, "report", "fit")
    check_report("fit/report.html", what + ": report")
    run(program, "bridge", "eight_schools.stan", "-o", "schools.so", "--force")
    must(run("python3", "-c", BRIDGE).strip() == "10", what + ": bridge", "its library loads and has 10 parameters")


os.chdir(ROOM)
look_around()
archive = install()
use_python()
use_program(HOME + "/bin/kullback", "program of the wheel")
use_program(archive + "/bin/kullback", "program of the archive")
sys.exit(f"missed: {'; '.join(missed)}" if missed else 0)
