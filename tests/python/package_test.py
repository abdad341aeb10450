#!/usr/bin/env python3
"""The line of the README: a virtual environment and `pip install ./python`, then the program and the package in it.

pip takes setuptools, wheel and NumPy from its index; where that cannot be reached the test is skipped, and says so.
"""
import os
import re
import shutil
import subprocess
import unittest

import support
from support import BUILD, EXAMPLES, ROOT

UNREACHABLE = re.compile(r"NewConnectionError|ConnectTimeout|Max retries exceeded|Temporary failure in name resolution")


def run(*words, **options):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("KULLBACK", "PYTHON"))}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment, **options)


class Package(support.Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "python", self.scratch / "python",
                        ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        made = run("/usr/bin/python3", "-m", "venv", self.scratch / ".venv")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)

    def install(self):
        return run(self.scratch / ".venv/bin/pip", "install", "--disable-pip-version-check", "./python", cwd=self.scratch)

    def installed(self):
        done = self.install()
        said = done.stdout + done.stderr
        if done.returncode and UNREACHABLE.search(said):
            self.skipTest("pip's index cannot be reached from here")
        return done.returncode, said

    def test_the_line_of_the_readme(self):
        status, said = self.installed()
        self.assertNotEqual(status, 0)
        self.assertIn("make run", said)  # the engine is not there yet
        (self.scratch / "build").symlink_to(BUILD)
        status, said = self.installed()
        self.assertEqual(status, 0, said)

        code = ("import kullback as kb; fit = kb.fit('m.stan', 'm.json', tolerance=0.1, seed=1); "
                "print(fit['theta'].mean(axis=0).shape, fit.certificate.verdict, kb.__file__)")
        shutil.copy(EXAMPLES / "eight_schools.stan", self.scratch / "m.stan")
        shutil.copy(EXAMPLES / "eight_schools.json", self.scratch / "m.json")
        fitted = run(self.scratch / ".venv/bin/python", "-c", code, cwd=self.scratch)
        self.assertEqual(fitted.returncode, 0, fitted.stderr)
        self.assertIn("(8,)", fitted.stdout)
        self.assertIn(".venv", fitted.stdout)

        program = run(self.scratch / ".venv/bin/kullback", "--version")
        self.assertIn("kullback 0.1", program.stdout)
        self.assertEqual((self.scratch / ".venv/bin/kullback").read_bytes()[:4], b"\x7fELF")  # no Python starts before it
        code = "import kullback as kb; print(kb._engine.program_path()); print('nuts' in kb.methods())"
        found = run(self.scratch / ".venv/bin/python", "-c", code, cwd=self.scratch)
        self.assertEqual(found.stdout.split(), [str(self.scratch / ".venv/bin/kullback"), "True"], found.stderr)
        bridge = run(self.scratch / ".venv/bin/kullback", "bridge", "m.stan", cwd=self.scratch)
        self.assertEqual(bridge.returncode, 0, bridge.stderr)
        wheel = next((self.scratch / ".venv/lib").glob("python3*/site-packages/kullback-*.dist-info/WHEEL")).read_text()
        self.assertRegex(wheel, r"Tag: py3-none-linux_\w+")


if __name__ == "__main__":
    unittest.main()
