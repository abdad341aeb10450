"""One wheel with the engine that `make run` has built, or that of the folder that KULLBACK_BUILD names: program and library are in the
package, and a line of shell on PATH starts the program."""

import os
import pathlib
import shlex
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel
try:
    from setuptools.command.build_scripts import build_scripts
except ImportError:
    from distutils.command.build_scripts import build_scripts

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("KULLBACK_BUILD", HERE.parent / "build")).resolve()
# Where they go in the package: as in bin/ and lib/ of `cmake --install`, so that they find each other.
ENGINE = {"kullback": "bin", "libkullback.so.1": "lib", "kullback-bridge.so": "lib/kullback"}


class BuildWithEngine(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package finds build/ itself
        for name, folder in ENGINE.items():
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


class BuildCommand(build_scripts):
    """kullback.sh becomes the command `kullback`; of an editable package, the program in build/."""

    editable_mode = False

    def copy_scripts(self):
        target = pathlib.Path(self.build_dir) / "kullback"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = f'#!/bin/sh\nexec {shlex.quote(str(BUILD / "kullback"))} "$@"\n' if self.editable_mode else (HERE / "kullback.sh").read_text()
        target.write_text(text)
        target.chmod(0o755)
        return [str(target)], [str(target)]


class WheelOfThisMachine(bdist_wheel):
    """py3-none-linux_x86_64: any Python 3, no extension module, but machine code inside."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithMachineCode(Distribution):
    """Its files go where those of a machine go, not where all machines may share them."""

    def has_ext_modules(self):
        return True


setup(
    distclass=WithMachineCode,
    cmdclass={"build_py": BuildWithEngine, "build_scripts": BuildCommand, "bdist_wheel": WheelOfThisMachine},
    scripts=["kullback.sh"],
)
