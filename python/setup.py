"""One wheel with the engine inside: the shared library and the program that `make run` has built."""

import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("KULLBACK_BUILD", HERE.parent / "build"))
ENGINE = {"lib": "libkullback.so", "bin": "kullback"}  # folder in the package: file in build/


class BuildWithEngine(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package finds build/ itself
        for folder, name in ENGINE.items():
            source = BUILD / name
            if not source.is_file():
                raise SystemExit(
                    f"{source} does not exist, and the package holds it: build the engine first, with 'make run' "
                    "in the root of the repository (or set KULLBACK_BUILD to the folder of another build)."
                )
            target = pathlib.Path(self.build_lib) / "kullback" / folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            target.chmod(0o755)


class WheelOfThisMachine(bdist_wheel):
    """py3-none-linux_x86_64: any Python 3, no extension module, but machine code inside."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": BuildWithEngine, "bdist_wheel": WheelOfThisMachine})
