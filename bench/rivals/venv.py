"""A Python with packages from PyPI, made once in a folder of the user's cache."""
import hashlib
import pathlib
import subprocess
import sys
import venv

CACHE = pathlib.Path.home() / ".cache/kullback-bench/python"


def python_with(*packages, cache=CACHE):
    """Path of a Python that has the packages; installs them at the first call."""
    name = hashlib.sha256(" ".join(sorted(packages)).encode()).hexdigest()[:12]
    folder = cache / name
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        print(f"installing {', '.join(packages)} into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "complete").touch()
    return python


def rerun_with(*packages):
    """Goes on in a Python that has the packages: for scripts that import them."""
    python = python_with(*packages)
    if pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
        sys.exit(subprocess.run([python, *sys.argv]).returncode)
