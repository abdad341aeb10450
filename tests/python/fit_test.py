#!/usr/bin/env python3
"""kb.fit against the command line, bit for bit; what a Fit shows; what it does with wrong input and Ctrl-C."""
import contextlib
import io
import json
import os
import pathlib
import signal
import sys
import threading
import time
import types
import unittest
import unittest.mock

import support
from support import EXAMPLES, SCHOOLS, engine, read_chain

import numpy as np

import kullback as kb
from kullback import _engine
from kullback._advice import as_arguments

PROGRAM = EXAMPLES / "eight_schools.stan"
DATA = EXAMPLES / "eight_schools.json"


class SameAsTheCommandLine(support.Case):
    def check(self, *words, data=DATA, program=PROGRAM, **options):
        """The same draws as `kullback fit`, with data of Python where the command line reads a file."""
        folder = self.scratch / "cli"
        engine("fit", program, data, *words, "--out", folder, "--quiet")
        given = json.loads(data.read_text())
        fit = kb.fit(program, {name: np.array(value) for name, value in given.items()}, **options)
        chains = sorted(folder.glob("chain-*.csv"), key=lambda path: int(path.stem[6:]))
        if (folder / "weighted.csv").exists():  # the draws as they came; chain-1.csv has them resampled
            np.testing.assert_array_equal(fit["beta"].T[0], read_chain(chains[0])["beta.1"])
            chains = [folder / "weighted.csv"]
        self.assertEqual(fit.chains, len(chains))
        for number, path in enumerate(chains):
            columns = read_chain(path)
            for name in ("mu", "beta") if "mu" in columns or "beta.1" in columns else fit.names:
                if name in fit:
                    drawn = fit.draws(name)[number].reshape(fit.draws_per_chain, -1, order="F")
                    stored = [v for key, v in columns.items() if key == name or key.startswith(name + ".")]
                    np.testing.assert_array_equal(drawn, np.array(stored).T)
            np.testing.assert_array_equal(fit.stat("lp__")[number], columns["lp__" if "log_p__" not in columns else "log_p__"])
        for name in ("summary.json", "certificate.json"):
            if (folder / name).exists():
                mine = self.scratch / "mine"
                fit.save(mine, force=True)
                stored, made = (json.loads((where / name).read_text()) for where in (folder, mine))
                for record in (stored, made):
                    record.pop("cost", None)  # has the time
                self.assertEqual(stored, made)
        return fit

    def test_nuts(self):
        fit = self.check("--method", "nuts", "--chains", "2", "--seed", "5", "--target-accept", "0.9",
                         method="nuts", chains=2, seed=5, target_accept=0.9)
        self.assertEqual(fit["theta"].shape, (2000, 8))
        self.assertEqual(fit.draws("theta").shape, (2, 1000, 8))
        np.testing.assert_array_equal(fit["theta"], fit.draws("theta").reshape(2000, 8))
        np.testing.assert_array_equal(fit["theta[3]"], fit["theta"][:, 2])
        self.assertIsNone(fit.certificate)
        self.assertIsNone(fit.weights)
        self.assertEqual(fit.seed, 5)

    def test_advi(self):
        fit = self.check("--method", "advi", "--seed", "2", method="advi", seed=2)
        self.assertEqual(fit.stat("log_q").shape, (1, 1000))

    def test_ladder_with_weights(self):
        logistic = EXAMPLES / "logistic.stan"
        fit = self.check("--tolerance", "0.1", "--seed", "1", program=logistic, data=EXAMPLES / "logistic.json",
                         tolerance=0.1, seed=1)
        self.assertTrue(fit.certificate.is_met)
        self.assertEqual(fit.certificate.certified, "reweighted")
        self.assertAlmostEqual(fit.weights.sum(), 1)
        table = fit.summary()
        for index in (1, 2):
            row = table.row(f"beta[{index}]")
            drawn = fit["beta"][:, index - 1]
            self.assertLess(abs(drawn.mean() - row["mean"]), 0.05 * row["sd"])
            self.assertLess(abs(drawn.std() / row["sd"] - 1), 0.05)
        np.testing.assert_array_equal(fit["beta"], fit["beta"])

    def test_data_are_kept(self):
        for fit in (kb.fit(PROGRAM, SCHOOLS, method="laplace", seed=1), kb.fit(PROGRAM, DATA, method="laplace", seed=1),
                    kb.fit(kb.Model(PROGRAM, SCHOOLS), method="laplace", seed=1)):
            self.assertEqual(list(fit.data["y"]), SCHOOLS["y"])

    def test_program_and_data_as_text(self):
        from_files = kb.fit(PROGRAM, DATA, method="nuts", chains=1, seed=3)
        from_memory = kb.fit(PROGRAM.read_text(), SCHOOLS, method="nuts", chains=1, seed=3)
        from_model = kb.fit(kb.Model(PROGRAM, SCHOOLS), method="nuts", chains=1, seed=3)
        for other in (from_memory, from_model):
            np.testing.assert_array_equal(from_files["theta"], other["theta"])

    def test_init(self):
        path = self.scratch / "init.json"
        path.write_text('{"mu": 3, "tau": 1}')
        given = dict(method="nuts", chains=1, seed=3, warmup=5, draws=5)
        by_file = kb.fit(PROGRAM, SCHOOLS, init=path, **given)
        by_dict = kb.fit(PROGRAM, SCHOOLS, init={"mu": 3, "tau": 1.0}, **given)
        at_random = kb.fit(PROGRAM, SCHOOLS, **given)
        np.testing.assert_array_equal(by_file["z"], by_dict["z"])
        self.assertFalse(np.array_equal(by_file["z"], at_random["z"]))


class Shown(support.Case):
    @classmethod
    def setUpClass(cls):
        cls.fit = kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=2, draws=200, warmup=200, seed=1)

    def test_text(self):
        text = repr(self.fit)
        for word in ("nuts", "2 chains", "seed 1", "theta[8]", "rhat"):
            self.assertIn(word, text)
        self.assertNotIn("Results:", text)

    def test_html(self):
        page = self.fit._repr_html_()
        for word in ("<table", "theta[8]", "rhat"):
            self.assertIn(word, page)

    def test_summary(self):
        table = self.fit.summary()
        row = table.row("theta[1]")
        self.assertAlmostEqual(row["mean"], self.fit["theta"][:, 0].mean(), delta=1e-9)
        self.assertAlmostEqual(row["sd"], self.fit["theta"][:, 0].std(ddof=1), delta=1e-9)
        self.assertEqual(len(table), len(table["mean"]))
        self.assertIn("theta[1]", repr(table))
        self.assertRaises(KeyError, lambda: table["no such"])

    def test_findings(self):
        self.assertIn("ess", [finding.code for finding in self.fit.findings])
        self.assertIn("->", repr(self.fit.findings))

    def test_names(self):
        self.assertEqual(self.fit.names, ["mu", "tau", "z", "theta", "log_lik"])
        self.assertIn("theta", self.fit)
        self.assertIn("divergent__", self.fit.stat_names)
        with self.assertRaisesRegex(KeyError, "thet"):
            self.fit["thet"]
        with self.assertRaisesRegex(KeyError, "log_q"):
            self.fit.stat("log_q")

    def test_matrices_keep_their_order(self):
        program = """parameters { matrix[2, 3] a; }
        transformed parameters { matrix[3, 2] t = a'; array[2] matrix[2, 3] c = {a, 2 * a}; }
        model { to_vector(a) ~ std_normal(); }"""
        fit = kb.fit(program, method="nuts", chains=1, draws=10, warmup=50, seed=1)
        np.testing.assert_array_equal(fit["t"], fit["a"].transpose(0, 2, 1))
        np.testing.assert_array_equal(fit["c"][:, 1], 2 * fit["a"])
        np.testing.assert_array_equal(fit["a[2,1]"], fit["a"][:, 1, 0])

    @unittest.mock.patch("kullback._progress._FIRST_AFTER", 0.0)
    def test_progress(self):
        for progress, expected in ((True, True), (False, False), (None, False)):
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, draws=200_000, seed=1, progress=progress)
            self.assertEqual("gradients" in shown.getvalue(), expected)
            if expected:
                self.assertTrue(shown.getvalue().endswith(" \r"))  # wiped out


class ZMQInteractiveShell:
    """What a notebook calls its shell."""


class Notebook(support.Case):
    """With a stand-in for IPython, which need not be here."""

    def setUp(self):
        super().setUp()
        self.shown = shown = []
        handle = types.SimpleNamespace(update=shown.append)
        display = types.ModuleType("IPython.display")
        display.HTML = lambda text: text
        display.display = lambda text, display_id: shown.append(text) or handle
        ipython = types.ModuleType("IPython")
        ipython.get_ipython = ZMQInteractiveShell
        sys.modules.update({"IPython": ipython, "IPython.display": display})
        self.addCleanup(lambda: [sys.modules.pop(name) for name in ("IPython", "IPython.display")])

    @unittest.mock.patch("kullback._progress._FIRST_AFTER", 0.0)
    def test_a_bar_that_goes(self):
        kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, draws=200_000, seed=1)
        self.assertGreaterEqual(len(self.shown), 2)
        self.assertRegex(self.shown[0], r"<progress value='0\.\d+' max='1' aria-label='nuts: 1 chain")
        self.assertEqual(self.shown[-1], "")


class Folders(support.Case):
    def test_save_and_load(self):
        fit = kb.fit(PROGRAM, SCHOOLS, tolerance=0.1, seed=1)
        folder = fit.save(self.scratch / "kept")
        again = kb.load(folder)
        self.assertEqual(fit.names, again.names)
        for name in fit.names:
            np.testing.assert_array_equal(fit.draws(name), again.draws(name))
            np.testing.assert_array_equal(fit[name], again[name])
        self.assertEqual(fit.certificate.record["parameters"], again.certificate.record["parameters"])
        self.assertEqual(repr(fit.summary()), repr(again.summary()))
        self.assertEqual(list(again.data["y"]), SCHOOLS["y"])
        self.assertIn("theta[1]", engine("summary", folder))
        self.assert_says(kb.CannotWriteError, "kept", fit.save, folder)
        fit.save(folder, force=True)

    def test_of_the_command_line(self):
        engine("fit", PROGRAM, DATA, "--method", "nuts", "--chains", "2", "--seed", "1", "--out", self.scratch / "f", "--quiet")
        fit = kb.load(self.scratch / "f")
        self.assertEqual(fit["theta"].shape, (2000, 8))
        self.assertEqual(fit.findings, [])
        engine("predict", self.scratch / "f", "--out", self.scratch / "p", "--quiet")
        self.assertIn("log_lik", kb.load(self.scratch / "p"))

    def test_out(self):
        fit = kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, seed=1, out=self.scratch / "there")
        self.assertTrue((self.scratch / "there" / "chain-1.csv").exists())
        np.testing.assert_array_equal(kb.load(self.scratch / "there")["mu"], fit["mu"])
        before = sorted(os.listdir("."))
        kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, seed=1)
        self.assertEqual(before, sorted(os.listdir(".")))

    def test_what_is_no_result(self):
        self.assert_says(kb.MissingFileError, "does not exist", kb.load, self.scratch / "nowhere")
        self.assert_says(kb.MissingFileError, "run.json", kb.load, self.scratch)
        (self.scratch / "run.json").write_text("{")
        self.assert_says(kb.InputError, "not JSON", kb.load, self.scratch)
        (self.scratch / "run.json").write_text("[]")
        self.assert_says(kb.InputError, "run.json: does not hold an object", kb.load, self.scratch)
        (self.scratch / "run.json").write_text("{}")
        self.assert_says(kb.InputError, "kind", kb.load, self.scratch)
        (self.scratch / "run.json").write_text('{"kind": "posterior", "version": "7.0.0"}')
        self.assert_says(kb.InputError, ["7.0.0", "newer"], kb.load, self.scratch)

    def test_hostile_names(self):
        fit = kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, draws=50, seed=1)
        folder = self.scratch / "f"
        fit.save(folder)
        for path in folder.glob("*.csv"):
            path.write_text(path.read_text().replace("mu,tau", "<script>alert(1)</script>,tau", 1))
        summary = folder / "summary.json"
        summary.write_text(summary.read_text().replace('"mu"', '"<script>alert(1)</script>"'))
        self.assert_says(kb.InputError, "the run wrote", kb.load, folder)
        record = json.loads((folder / "run.json").read_text())
        del record["files"]  # as of a version that did not list them
        (folder / "run.json").write_text(json.dumps(record))
        self.assertNotIn("<script>", kb.load(folder)._repr_html_())


class Reports(support.Case):
    def test_a_page(self):
        fit = kb.fit(PROGRAM, SCHOOLS, tolerance=0.1, seed=1)
        path = fit.report(self.scratch / "report.html")
        self.assertIn("theta[8]", pathlib.Path(path).read_text(encoding="utf-8"))
        fit.save(self.scratch / "kept")
        kb.load(self.scratch / "kept").report(self.scratch / "other.html")
        self.assertIn("theta[8]", (self.scratch / "other.html").read_text())

    def test_where_it_cannot_be(self):
        fit = kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, seed=1)
        self.assert_says(kb.CannotWriteError, "nowhere", fit.report, self.scratch / "nowhere" / "report.html")


class Kinds(support.Case):
    def test_optimum(self):
        fit = kb.fit(PROGRAM, SCHOOLS, method="optimize", seed=1)
        self.assertEqual(fit["mu"].shape, (1,))
        self.assertIn("mu", repr(fit))

    def test_without_parameters(self):
        fit = kb.fit("generated quantities { real x = normal_rng(0, 1); }", method="nuts", seed=1, draws=100)
        self.assertEqual(fit["x"].size, fit.chains * fit.draws_per_chain)
        self.assertGreater(fit["x"].std(), 0.5)

    def test_in_a_thread(self):
        found = []
        thread = threading.Thread(target=lambda: found.append(kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, seed=3)["mu"]))
        thread.start()
        thread.join()
        np.testing.assert_array_equal(found[0], kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, seed=3)["mu"])


class Refusals(support.Case):
    def test_options(self):
        refuse = lambda words, **options: self.assert_says(kb.UsageError, words, kb.fit, PROGRAM, SCHOOLS, seed=1, **options)
        refuse("max_depth", method="laplace", max_depth=12)
        refuse("nutz", method="nutz")
        refuse("chanes", method="nuts", chanes=4)
        refuse("chains", method="nuts", chains=0)
        refuse("tolerance", tolerance=-1)
        refuse("draws", method="nuts", draws="many")
        refuse("chains is dict", method="nuts", chains={})

    def test_hint(self):
        error = self.assert_says(kb.UsageError, "hint", kb.fit, PROGRAM, SCHOOLS, method="laplace", max_depth=12)
        self.assertIn("nuts", error.hint)
        self.assertNotIn("hint", error.message)

    def test_a_model_has_its_data(self):
        self.assert_says(kb.UsageError, "has its data", kb.fit, kb.Model(PROGRAM, SCHOOLS), SCHOOLS)

    def test_no_finite_start(self):
        self.assert_says(kb.Error, ["never", "starting points"], kb.fit, "parameters { real x; } model { reject(\"never\", x); }", method="nuts")


class Advice(support.Case):
    """Options are arguments here."""

    def test_words(self):
        for said, written in [
            ("Fit with `--method nuts --target-accept 0.95`; then", 'Fit with method="nuts", target_accept=0.95; then'),
            ("raise --max-depth, or --draws 2000.", "raise max_depth, or draws=2000."),
            ("Add `--force`.", "Add force=True."),
            ("`kullback certify DIR` makes it.", "'kullback certify DIR' on the command line makes it."),
            ("'kullback fit --resume DIR' goes on.", "'kullback fit --resume DIR' goes on."),
            ("kullback fit --help shows it", "kullback fit --help shows it"),
            ("a--b, /tmp/--c, 10 --draws 5%", "a--b, /tmp/--c, 10 draws 5%"),
            ("`x` stays", "`x` stays"),
        ]:
            self.assertEqual(as_arguments(said), written)

    def test_of_errors(self):
        with self.assertRaises(kb.UsageError) as caught:
            kb.fit(PROGRAM, SCHOOLS, target_accept=0.95)
        self.assertEqual(caught.exception.message, "target_accept cannot be used with the default method.")
        self.assertEqual(caught.exception.hint, 'Add method="nuts"; it is an option of nuts, hmc.')
        self.assertNotIn("--", str(caught.exception))
        with self.assertRaises(kb.UsageError) as caught:
            kb.mixture(np.zeros((5, 2)), components=0)
        self.assertNotIn("--", str(caught.exception))

    def test_of_what_is_shown(self):
        """Of what passes by on standard error, too, in whatever pieces it comes."""
        program = self.scratch / "program"
        program.write_text("#!/bin/sh\n"
                           "printf 'chain 1 \\r' >&2; sleep 0.1; printf 'note: add `--method' >&2; sleep 0.1\n"
                           "printf ' nuts` or --max-depth 12.\\n50 %% done' >&2; exit 0\n")
        program.chmod(0o755)
        shown = io.StringIO()
        before = os.environ["KULLBACK"]
        os.environ["KULLBACK"] = str(program)
        try:
            with contextlib.redirect_stderr(shown):
                _engine.run(["fit"], shows=True)
        finally:
            os.environ["KULLBACK"] = before
        self.assertEqual(shown.getvalue().replace("\r\n", "\n"), 'chain 1 \rnote: add method="nuts" or max_depth=12.\n50 % done')

    def test_of_findings(self):
        fit = kb.fit("parameters { real<lower=0> s; vector[9] x; } model { s ~ normal(0, 3); x ~ normal(0, s); }",
                     method="nuts", seed=1, draws=200, warmup=200)
        advice = {finding.code: finding.advice for finding in fit.findings}
        self.assertIn("Fit with target_accept=0.95;", advice["divergences"])
        self.assertNotIn("--", repr(fit))
        self.assertIn("target_accept=0.95", repr(fit))
        again = kb.load(fit.save(self.scratch / "fit"))
        self.assertEqual([f.advice for f in again.findings], [f.advice for f in fit.findings])


class Interrupts(support.Case):
    def interrupted_after(self, seconds, program=PROGRAM, data=SCHOOLS, **options):
        timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        try:
            with self.assertRaises(KeyboardInterrupt) as caught:
                kb.fit(program, data, method="nuts", seed=1, **options)
        finally:
            timer.cancel()
        self.assertLess(time.monotonic() - start, seconds + 5)
        return caught.exception

    def test_ctrl_c(self):
        error = self.interrupted_after(0.7, chains=2, draws=50_000_000)
        self.assertIsInstance(error, kb.Interrupted)
        self.assertGreater(error.fit.draws_per_chain, 100)
        self.assertEqual(error.fit["theta"].shape[1], 8)
        self.assertEqual(error.fit.record["status"], "interrupted")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_in_a_program_that_loops(self):
        error = self.interrupted_after(0.3, "parameters { real x; } model { x ~ normal(0, 1); while (1) { } }", None)
        self.assertIsInstance(error, kb.Interrupted)
        self.assertIsNone(error.fit)

    def test_ctrl_c_in_transformed_data_that_loop(self):
        loops = "transformed data { while (1) { } } parameters { real x; } model { x ~ normal(0, 1); }"
        self.assertIsInstance(self.interrupted_after(0.3, loops, None), kb.Interrupted)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        self.addCleanup(timer.cancel)
        with self.assertRaises(kb.Interrupted):
            kb.Model(loops)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_another_fit_follows(self):
        self.interrupted_after(0.3, chains=1, draws=50_000_000)
        self.assertEqual(len(kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=1, seed=1)["mu"]), 1000)


if __name__ == "__main__":
    unittest.main()
