"""One wheel with the engine that `make run` has built, or that of the folder that KULLBACK_BUILD names: the shared library in the
package, the program on PATH, and beside it what `kullback bridge` copies."""

import os
import pathlib
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
LIBRARY, PROGRAM, BRIDGE = (BUILD / name for name in ("libkullback.so", "kullback", "kullback-bridge.so"))


class BuildWithLibrary(build_py):
    def run(self):
        for path in (LIBRARY, PROGRAM, BRIDGE):
            if not path.is_file():
                raise SystemExit(
                    f"{path} does not exist, and the package holds it: build the engine first, with 'make run' "
                    "in the root of the repository (or set KULLBACK_BUILD to the folder of another build)."
                )
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package finds build/ itself
        target = pathlib.Path(self.build_lib) / "kullback" / "lib" / LIBRARY.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(LIBRARY, target)


class BuildProgram(build_scripts):
    """The program itself goes on PATH, so that no Python starts before it."""

    editable_mode = False

    def copy_scripts(self):
        target = pathlib.Path(self.build_dir) / PROGRAM.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.editable_mode:
            target.write_text(f"#!/bin/sh\nexec '{PROGRAM}' \"$@\"\n")
        else:
            shutil.copy2(PROGRAM, target)
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
    cmdclass={"build_py": BuildWithLibrary, "build_scripts": BuildProgram, "bdist_wheel": WheelOfThisMachine},
    scripts=[os.path.relpath(PROGRAM, HERE)],
    data_files=[("lib/kullback", [os.path.relpath(BRIDGE, HERE)])],
)
