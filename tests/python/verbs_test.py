#!/usr/bin/env python3
"""The signatures of the package: what the programs say they take, and what happens with other keywords."""
import inspect
import os
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock

import support
from support import BUILD, EXAMPLES, ROOT

import kullback as kb
from kullback import _verbs

PRINTER = ROOT / "tools" / "print_python.py"
VERBS = [name for name, value in vars(_verbs).items() if hasattr(value, "__wrapped__")]


def printer(*words, deep=BUILD / "kullback-deep", cwd=ROOT):
    environment = {**os.environ, "KULLBACK": str(BUILD / "kullback"), "KULLBACK_DEEP": str(deep)}
    return subprocess.run([sys.executable, cwd / "tools" / "print_python.py", *words], capture_output=True, text=True, env=environment)


class Printed(support.Case):
    def test_are_those_of_the_programs(self):
        done = printer("check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_differs_is_named(self):
        """With and without kullback-deep."""
        for folder in ("tools", "python"):
            shutil.copytree(ROOT / folder, self.scratch / folder, ignore=shutil.ignore_patterns("__pycache__"))
        file = self.scratch / "python" / "kullback" / "_verbs.py"
        file.write_text(file.read_text().replace("    components: int = ", "    components: int = 1", 1), encoding="utf-8")
        file.write_text(file.read_text().replace("Draws from the prior", "Draws", 1), encoding="utf-8")
        done = printer("check", deep=self.scratch / "nowhere", cwd=self.scratch)
        self.assertIn("print_python: simulate", done.stderr)
        self.assertIn("make python", done.stderr)
        self.assertNotIn("diffusion", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_a_program_that_fails_is_named(self):
        broken = self.scratch / "kullback-deep"
        broken.write_text("#!/bin/sh\necho 'option matched' >&2; exit 70\n")
        broken.chmod(0o755)
        done = printer("check", deep=broken)
        self.assertIn("kullback-deep --signatures: option matched", done.stderr)
        self.assertEqual(done.returncode, 1)

    @unittest.skipUnless((BUILD / "kullback-deep").exists(), "kullback-deep is not built")
    def test_are_written_anew(self):
        for folder in ("tools", "python"):
            shutil.copytree(ROOT / folder, self.scratch / folder, ignore=shutil.ignore_patterns("__pycache__"))
        file = self.scratch / "python" / "kullback" / "_verbs.py"
        before = file.read_text(encoding="utf-8")
        file.write_text(before[:2000], encoding="utf-8")
        self.assertEqual(printer("check", cwd=self.scratch).returncode, 1)
        self.assertEqual(printer(cwd=self.scratch).returncode, 0)
        self.assertEqual(file.read_text(encoding="utf-8"), before)


class Signatures(support.Case):
    def test_have_types_defaults_and_help(self):
        fit = inspect.signature(kb.fit)
        self.assertEqual(fit.parameters["chains"].default, 4)
        self.assertEqual(fit.parameters["chains"].annotation, "int")
        self.assertEqual(fit.parameters["method"].default, "auto")
        self.assertEqual(fit.parameters["metric"].annotation, "Literal['unit', 'diagonal', 'dense']")
        self.assertEqual(fit.parameters["resample"].default, True)
        self.assertEqual(fit.parameters["tolerance"].default, None)
        self.assertIn("Number of chains (MCMC methods only) [4]", kb.fit.__doc__)

    def test_every_argument_is_described(self):
        for name in VERBS:
            function = getattr(_verbs, name)
            parameters = inspect.signature(function).parameters
            for parameter in parameters.values():
                with self.subTest(f"{name}({parameter.name})"):
                    self.assertNotEqual(parameter.kind, inspect.Parameter.VAR_KEYWORD)
                    self.assertRegex(function.__doc__, rf"(?m)^    {parameter.name} ")
            self.assertNotRegex(function.__doc__, r"(?<![\w-])--[a-z]")  # options are arguments here
            self.assertTrue((ROOT / re.search(r"docs/\w+\.md", function.__doc__)[0]).exists())

    def test_are_exported(self):
        for name in VERBS:
            self.assertIs(getattr(kb, name), getattr(_verbs, name))
            self.assertIn(name, kb.__all__)

    def test_methods_of_results_are_the_same_functions(self):
        for name in ("predict", "sample", "loglik", "evaluate", "encode", "decode", "restore"):
            self.assertIs(getattr(kb.Result, name), getattr(kb, name))
        self.assertIs(kb.Fit.predict, kb.predict)


class UnknownKeywords(support.Case):
    def refused(self, words, function, *arguments, **options):
        with unittest.mock.patch("kullback._engine.run", side_effect=AssertionError("a program was started")):
            return self.assert_says(kb.UnknownArgumentError, words, function, *arguments, **options)

    def test_are_refused_before_anything_starts(self):
        error = self.refused(["kb.mixture", "'componets'", "'components'"], kb.mixture, "no_such.csv", componets=2)
        self.assertIsInstance(error, TypeError)
        self.assertIsInstance(error, kb.UsageError)
        self.assertEqual(error.hint, "Did you mean 'components'?")
        self.assertEqual(error.message, "kb.mixture has no argument 'componets'.")
        self.refused("'target_accept'", kb.fit, "no_such.stan", target_acept=0.9)
        self.refused("help(kb.mixture)", kb.mixture, "no_such.csv", zzzzzz=1)

    def test_of_every_verb(self):
        for name in VERBS:
            with self.subTest(name):
                self.refused("qqq", getattr(kb, name), qqq=1)

    def test_names_of_other_packages(self):
        for given, here in [("iter_sampling", "draws"), ("adapt_delta", "target_accept"), ("parallel_chains", "threads")]:
            error = self.refused(given, kb.fit, EXAMPLES / "eight_schools.stan", **{given: 1})
            self.assertTrue(error.hint.startswith(f"Here it is {here}"), error.hint)

    def test_what_the_command_line_alone_has(self):
        self.assertIn("--resume DIR", self.refused("resume", kb.fit, "no_such.stan", resume="folder").hint)
        self.assertIn("progress=False", self.refused("quiet", kb.mixture, "no_such.csv", quiet=True).hint)

    def test_positional_arguments_too_many(self):
        with self.assertRaises(TypeError):
            kb.mixture("rows.csv", 3)


if __name__ == "__main__":
    unittest.main()
