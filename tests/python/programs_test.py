#!/usr/bin/env python3
"""Verbs of a program besides fit, against the commands they start: simulate, calibrate, optimize, predict, compare, diagnose, and
those that rewrite or check a program."""
import json
import os
import pathlib
import signal
import threading
import unittest

import support
from support import EXAMPLES, SCHOOLS, engine, read_chain

import numpy as np

import kullback as kb

PROGRAM = EXAMPLES / "eight_schools.stan"
DATA = EXAMPLES / "eight_schools.json"
LINE = """
data { int N; vector[N] x; vector[N] y; }
parameters { real slope; real<lower=0> sigma; }
model { slope ~ normal(0, 10); sigma ~ exponential(1); y ~ normal(slope * x, sigma); }
generated quantities {
  vector[N] log_lik;
  vector[N] copy;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | slope * x[n], sigma);
    copy[n] = normal_rng(slope * x[n], sigma);
  }
}
"""


def line_data(count=30):
    x = np.linspace(0, 1, count)
    return {"N": count, "x": x, "y": 2 * x + 0.1 * np.random.default_rng(1).normal(size=count)}


class Simulate(support.Case):
    def test_same_as_the_command(self):
        folder = self.scratch / "cli"
        engine("simulate", PROGRAM, DATA, "--draws", "50", "--data-sets", "2", "--seed", "3", "--out", folder, "--quiet")
        found = kb.simulate(PROGRAM, SCHOOLS, draws=50, data_sets=2, seed=3)
        self.assertEqual(found["y"].shape, (50, 8))
        np.testing.assert_array_equal(found["y"][:, 0], read_chain(folder / "chain-1.csv")["y.1"])
        self.assertEqual(len(found.data_sets), 2)
        expected = json.loads((folder / "data-2.json").read_text())
        np.testing.assert_array_equal(found.data_sets[1]["y"], expected["y"])
        np.testing.assert_array_equal(found.parameters[1]["z"], json.loads((folder / "params-2.json").read_text())["z"])
        np.testing.assert_array_equal(found.data_sets[1]["y"], found["y"][1])

    def test_a_data_set_can_be_fitted_and_the_folder_kept(self):
        found = kb.simulate(LINE, line_data(), draws=10, data_sets=1, seed=1, out=self.scratch / "kept")
        fit = kb.fit(LINE, found.data_sets[0], method="laplace", seed=1)
        self.assertEqual(fit["copy"].shape[1], 30)
        again = kb.load(self.scratch / "kept")
        self.assertIsInstance(again, kb.Simulation)
        np.testing.assert_array_equal(again.data_sets[0]["y"], found.data_sets[0]["y"])
        self.assert_says(kb.CannotWriteError, "kept", kb.simulate, LINE, line_data(), out=self.scratch / "kept")
        kb.simulate(LINE, line_data(), draws=10, seed=1, out=self.scratch / "kept", force=True)

    def test_include_paths(self):
        (self.scratch / "prior.stan").write_text("x ~ normal(0, 1);")
        program = "parameters { real x; } model {\n#include prior.stan\n}"
        self.assertEqual(kb.simulate(program, draws=20, seed=1, include_paths=[self.scratch])["x"].shape, (20,))
        self.assert_says(kb.InputError, "prior.stan", kb.simulate, program, draws=20, seed=1)

    def test_a_program_with_an_error(self):
        error = self.assert_says(kb.InputError, "vecto", kb.simulate, "parameters { vecto[2] z; } model { }")
        self.assertNotIn("kullback-", str(error))  # no temporary folder
        self.assertTrue(str(error).startswith("model.stan:1:14"), str(error))


class Calibrate(support.Case):
    def test_same_as_the_command(self):
        folder = self.scratch / "cli"
        words = ("--method", "laplace", "--simulations", "20", "--seed", "2", "--quiet")
        engine("calibrate", PROGRAM, DATA, *words, "--out", folder)
        expected = json.loads((folder / "calibration.json").read_text())
        found = kb.calibrate(PROGRAM, SCHOOLS, method="laplace", simulations=20, seed=2)
        self.assertEqual((found.verdict, found.simulations, found.fitted), (expected["verdict"], 20, expected["fitted"]))
        self.assertEqual(found.is_ok, expected["verdict"] == "ok")
        self.assertEqual(list(found.parameters["name"]), [row["name"] for row in expected["parameters"]])
        first = expected["parameters"][0]
        self.assertEqual(found.parameters.row(first["name"])["bias"], first["bias"])
        np.testing.assert_array_equal(found.ranks[first["name"]], first["u"])
        self.assertIn("simulations fitted", repr(found))
        again = kb.load(found.save(self.scratch / "kept"))
        self.assertIsInstance(again, kb.Calibration)
        self.assertEqual(repr(again), repr(found))

    def test_ctrl_c(self):
        timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(kb.Interrupted):
            kb.calibrate(PROGRAM, SCHOOLS, method="nuts", simulations=1_000_000, seed=1)
        timer.cancel()


class Optimize(support.Case):
    def test_the_least_squares_line(self):
        data = line_data()
        mode = kb.optimize(LINE.replace("normal(0, 10)", "normal(0, 1e6)"), data, seed=1)
        least = data["x"] @ data["y"] / (data["x"] @ data["x"])
        self.assertIsInstance(mode["slope"], float)
        self.assertAlmostEqual(mode["slope"], least, places=5)
        self.assertEqual(mode["log_lik"].shape, (30,))
        self.assertTrue({"slope", "sigma", "log_lik"} <= set(dict(mode)))
        self.assertAlmostEqual(mode.summary().row("slope")["value"], least, places=5)
        self.assertIn("slope", repr(mode))

    def test_same_as_the_command(self):
        folder = self.scratch / "cli"
        engine("optimize", PROGRAM, DATA, "--jacobian", "--seed", "1", "--out", folder, "--quiet")
        mode = kb.optimize(PROGRAM, SCHOOLS, jacobian=True, seed=1)
        columns = read_chain(folder / "chain-1.csv")
        self.assertEqual(mode["tau"], columns["tau"][0])
        self.assertEqual(mode.log_density, columns["lp__"][0])
        other = kb.optimize(PROGRAM, SCHOOLS, seed=1)
        self.assertNotEqual(other["tau"], mode["tau"])

    def test_starts_and_folders(self):
        mode = kb.optimize(LINE, line_data(), init={"slope": 1.5, "sigma": 0.2}, seed=1, out=self.scratch / "kept")
        self.assertEqual(mode.folder, str(self.scratch / "kept"))
        again = kb.Optimum(kb.load(mode.save(self.scratch / "copy")))
        self.assertEqual(again["slope"], mode["slope"])
        self.assertIn("<html", pathlib.Path(mode.report(self.scratch / "mode.html")).read_text(encoding="utf-8"))
        self.assert_says(kb.UsageError, "init", kb.optimize, LINE, line_data(), init=-1)


class Predict(support.Case):
    def test_new_data(self):
        fit = kb.fit(LINE, line_data(), method="nuts", chains=2, draws=100, seed=1)
        new = {"N": 2, "x": [0.0, 10.0], "y": [0.0, 0.0]}
        found = kb.predict(fit, new, seed=4)
        self.assertEqual(found.draws("copy").shape, (2, 100, 2))
        np.testing.assert_allclose(found["copy"][:, 1].mean(), 20, atol=1)
        again = fit.predict(new, seed=4)
        np.testing.assert_array_equal(again["copy"], found["copy"])
        folder = fit.save(self.scratch / "fit")
        (self.scratch / "new.json").write_text(json.dumps(new))
        engine("predict", folder, self.scratch / "new.json", "--seed", "4", "--out", self.scratch / "cli", "--quiet")
        np.testing.assert_array_equal(kb.load(self.scratch / "cli")["copy"], found["copy"])

    def test_the_same_data(self):
        fit = kb.fit(LINE, line_data(), method="nuts", chains=1, draws=100, seed=1)
        self.assertEqual(fit.predict()["copy"].shape, (100, 30))
        self.assertEqual(kb.predict(fit.save(self.scratch / "fit"))["copy"].shape, (100, 30))

    def test_of_an_optimum_whose_data_were_in_memory(self):
        mode = kb.optimize(LINE, line_data(), seed=1, out=self.scratch / "mode")
        np.testing.assert_array_equal(mode.fit.predict()["log_lik"][0], mode["log_lik"])

    def test_needs_data(self):
        groups = kb.mixture(np.random.default_rng(1).normal(size=(30, 1)), components=1, seed=1)
        self.assert_says(kb.UsageError, "new data", kb.predict, groups)

    def test_topics_of_new_documents(self):
        documents = [["apple", "pear", "plum"] * 5, ["iron", "zinc", "lead"] * 5] * 10
        found = kb.topics(documents, topics=2, seed=1)
        new = found.predict([["zinc", "lead", "zinc"], ["plum", "pear"]])
        self.assertEqual(len(new["documents"]), 2)


class Compare(support.Case):
    def fits(self):
        data = line_data()
        good = kb.fit(LINE, data, method="nuts", chains=2, draws=200, seed=1)
        bad = kb.fit(LINE.replace("slope * x", "0 * x"), data, method="nuts", chains=2, draws=200, seed=1)
        return good, bad

    def test_same_as_the_command(self):
        good, bad = self.fits()
        table = kb.compare({"flat": bad, "line": good})
        self.assertEqual(list(table["fit"]), ["line", "flat"])  # the best first
        self.assertEqual((table.row("line")["elpd_diff"], table.row("line")["se_diff"]), (0, 0))
        self.assertLess(table.row("flat")["elpd_diff"], -4)
        self.assertAlmostEqual(table["elpd"][1] - table["elpd"][0], table["elpd_diff"][1])
        self.assertEqual(table.pointwise["flat"].shape, (30,))
        self.assertAlmostEqual(table.pointwise["line"].sum(), table["elpd"][0])
        differences = table.pointwise["flat"] - table.pointwise["line"]
        self.assertAlmostEqual(np.sqrt(30) * differences.std(ddof=1), table["se_diff"][1])
        self.assertEqual(list(table["bad_k"]), [(table.khat[name] > 1 - 1 / np.log10(400)).sum() for name in table["fit"]])
        first, second = good.save(self.scratch / "good"), bad.save(self.scratch / "bad")
        text = engine("compare", second, first)
        self.assertIn(f"{table['elpd'][0]:.1f}", text.splitlines()[1])
        by_folder = kb.compare(second, first)
        self.assertEqual(list(by_folder["fit"]), [first, second])
        np.testing.assert_array_equal(by_folder["elpd"], table["elpd"])

    def test_places_and_refusals(self):
        good, bad = self.fits()
        self.assertEqual(list(kb.compare(bad, good)["fit"]), ["fit 2", "fit 1"])
        self.assert_says(kb.UsageError, "two fits", kb.compare, good)
        self.assert_says(kb.InputError, ["no 'lik'", "log_lik"], kb.compare, good, bad, log_lik="lik")

    def test_distance(self):
        good, bad = self.fits()
        apart = kb.compare(good, bad, distance=True)
        self.assertIsInstance(apart, kb.Distance)
        self.assertEqual(apart.verdict, "differ")
        self.assertTrue(apart["differs"][0] and apart.p_value < 0.01)
        self.assertTrue((np.diff(apart["distance"] - apart["noise"]) <= 0).all())
        unit = np.sqrt((good["sigma"].std(ddof=1) ** 2 + bad["sigma"].std(ddof=1) ** 2) / 2)
        row = apart.row("sigma")
        self.assertAlmostEqual(row["shift"], (bad["sigma"].mean() - good["sigma"].mean()) / unit)
        self.assertLess(apart.joint["mmd_squared"]["noise"], apart.joint["mmd_squared"]["value"])
        self.assertEqual((apart.only_in_first, apart.only_in_second, apart.constant), ([], [], []))
        self.assert_says(kb.UsageError, "between two fits", kb.compare, good, bad, good, distance=True)
        self.assert_says(kb.UsageError, "log", kb.compare, good, bad, distance=True, log_lik="lik")


class OfPrograms(support.Case):
    def test_diagnose(self):
        fit = kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=2, draws=100, seed=1)
        self.assertIn("largest R-hat", fit.diagnose())
        self.assertEqual(kb.load(fit.save(self.scratch / "fit")).diagnose(), fit.diagnose())

    def test_certify_is_a_method(self):
        fit = kb.fit(EXAMPLES / "logistic.stan", EXAMPLES / "logistic.json", method="laplace", seed=1)
        self.assertEqual(fit.certify(tolerance=0.2).tolerance, 0.2)

    def test_format_and_modernize(self):
        self.assertEqual(kb.format("parameters{real x;}model{x~normal(0,1);}"), engine("format", "-", input=(
            "parameters{real x;}model{x~normal(0,1);}")))
        self.assertIn("array[3] real", kb.modernize("parameters { real x[3]; } model { x ~ normal(0, 1); }"))

    def test_check(self):
        self.assertEqual(kb.check(PROGRAM), "")
        self.assertIn("model.stan:1:", kb.check("parameters { real x; real unused; } model { x ~ normal(0, 1); }"))
        self.assert_says(kb.InputError, "vecto", kb.check, "parameters { vecto[2] z; }")


if __name__ == "__main__":
    unittest.main()
