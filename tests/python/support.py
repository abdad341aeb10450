"""What the tests of the Python package share. Importing it finds NumPy, the package and the engine:
an interpreter without NumPy is left for one that has it, and the library is that beside $KULLBACK.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("KULLBACK", ROOT / "build" / "kullback")).resolve().parent
EXAMPLES = ROOT / "examples"
SCHOOLS = {
    "J": 8,
    "y": [28, 8, -3, 7, -1, 1, 18, 12],
    "sigma": [15, 10, 16, 11, 9, 11, 10, 18],
}


def has_numpy(interpreter):
    done = subprocess.run([interpreter, "-c", "import numpy"], stderr=subprocess.DEVNULL)
    return done.returncode == 0


def with_numpy():
    """The interpreter of the system, which tools/setup.sh gives NumPy, where this one has none."""
    if importlib.util.find_spec("numpy") is not None:
        return
    other = "/usr/bin/python3"
    if os.path.exists(other) and os.path.realpath(other) != os.path.realpath(sys.executable) and has_numpy(other):
        os.execv(other, [other, *sys.argv])
    sys.exit(f"neither {sys.executable} nor {other} has NumPy; tools/setup.sh test installs it")


with_numpy()
os.environ["KULLBACK"] = str(BUILD / "kullback")
os.environ["KULLBACK_LIBRARY"] = str(BUILD / "libkullback.so")
sys.path.insert(0, str(ROOT / "python"))


def engine(*words, **options):
    """What `kullback WORDS` prints; fails the test where it fails."""
    done = subprocess.run([os.environ["KULLBACK"], *map(str, words)], capture_output=True, text=True, **options)
    if done.returncode not in (0, 3):
        raise AssertionError(f"kullback {' '.join(map(str, words))}: {done.returncode}: {done.stderr}")
    return done.stdout


def read_chain(path):
    """A file of draws as CmdStan writes it: columns by name, without this package's help."""
    import numpy

    lines = [line for line in pathlib.Path(path).read_text().splitlines() if line and not line.startswith("#")]
    head, rows = lines[0].split(","), lines[1:]
    if "log_g__" in head:
        rows = rows[1:]  # the mean of an approximation
    return dict(zip(head, numpy.array([[float(cell) for cell in row.split(",")] for row in rows]).T))


class Case(unittest.TestCase):
    """Has a scratch folder, and assertions about sentences."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.scratch = pathlib.Path(holder.name)

    def assert_says(self, kind, words, function, *arguments, **options):
        """The call fails with an error of this kind whose text has all the words."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **options)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, str(caught.exception))
        return caught.exception
