"""The honesty benchmark: that its programs run, its references are right, and its judge finds what is false."""
import dataclasses
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from honesty import catalogue, certificates, hierarchies, judge, picture, rates, references, regressions, sequences, shapes, subjects
from rivals import fits

OURS = [program for program in catalogue.PROGRAMS.values() if program.kind != catalogue.SHAPE]


class Programs(unittest.TestCase):
    def test_every_program_has_a_simulator(self):
        files = {path.stem for path in (catalogue.FOLDER / "programs").glob("*.stan") if not path.stem.endswith(".reference")}
        self.assertEqual(files, {program.name for program in OURS})
        self.assertEqual({path.stem for path in (catalogue.FOLDER / "shapes").glob("*.stan")}, set(shapes.EXACT))
        self.assertGreaterEqual(len(OURS), 34)

    def test_data_are_the_same_each_time(self):
        for program in OURS:
            self.assertEqual(program.data(1), program.data(1), program.name)
            self.assertNotEqual(program.data(1), program.data(2), program.name)

    @unittest.skipUnless("KULLBACK" in os.environ, "needs the program")
    def test_every_gradient_is_finite_and_cheap(self):
        sizes = []
        with tempfile.TemporaryDirectory() as folder:
            for program in catalogue.PROGRAMS.values():
                words = [os.environ["KULLBACK"], "density", program.path]
                if program.simulate:
                    words.append(pathlib.Path(folder) / f"{program.name}.json")
                    words[-1].write_text(json.dumps(program.data(3)))
                done = subprocess.run(words, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{program.name}: {done.stderr}")
                found = json.loads(done.stdout)
                self.assertTrue(math.isfinite(found["log_density"]), program.name)
                self.assertTrue(all(math.isfinite(x) for x in found["gradient"]), program.name)
                sizes.append(len(found["gradient"]))
        self.assertEqual((min(sizes), max(sizes)), (1, 500))


class Shapes(unittest.TestCase):
    """Exact moments against draws."""
    COUNT = 50000

    def draws(self, name):
        z = random.Random(name)
        normal = lambda: z.gauss(0, 1)  # noqa: E731
        for _ in range(self.COUNT):
            if name == "funnel":
                yield math.exp(1.5 * normal()) * normal()
            elif name == "banana":
                yield normal() ** 2 + 0.2 * normal()
            elif name == "student_t3":
                yield normal() / math.sqrt(z.gammavariate(1.5, 1 / 1.5))
            else:
                yield normal() + {"two_modes": 7, "near_modes": 3}[name] * (z.random() < 0.1)

    def test_quartiles_and_moments(self):
        for name, scalar in (("funnel", "x[9]"), ("banana", "y"), ("student_t3", "x[5]"), ("two_modes", "x[2]"),
                             ("near_modes", "x[1]")):
            with self.subTest(name):
                exact, draws = shapes.EXACT[name]()[scalar], sorted(self.draws(name))
                share = lambda x: sum(draw < x for draw in draws) / self.COUNT  # noqa: E731
                self.assertAlmostEqual(share(exact["median"]), 0.5, delta=4 * 0.5 / math.sqrt(self.COUNT))
                quartiles = (draws[self.COUNT // 4], draws[3 * self.COUNT // 4])
                self.assertAlmostEqual((quartiles[1] - quartiles[0]) / exact["iqr"], 1, delta=0.03)
                if name not in ("funnel", "student_t3"):  # whose sds converge slowly
                    mean = math.fsum(draws) / self.COUNT
                    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in draws) / self.COUNT)
                    self.assertAlmostEqual(mean, exact["mean"], delta=4 * sd / math.sqrt(self.COUNT))
                    self.assertAlmostEqual(sd / exact["sd"], 1, delta=0.03)

    def test_ridge(self):
        found = shapes.EXACT["ridge"]()
        self.assertAlmostEqual(found["x[2]"]["sd"], 1000, places=9)  # the correlation is then 999 / 1000


class References(unittest.TestCase):
    def autoregression(self, seed, rho):
        z, x, column = random.Random(seed), 0.0, []
        for _ in range(references.DRAWS):
            x = rho * x + math.sqrt(1 - rho * rho) * z.gauss(0, 1)
            column.append(5 + 2 * x)
        return references.reduce(column)

    def piece(self, first_seed, rho):
        return {"chains": [self.autoregression(first_seed + k, rho) for k in range(4)], "ess": 1e9}

    def test_errors_of_correlated_draws(self):
        rho, pieces = 0.8, [self.piece(10 * k, 0.8) for k in range(4)]
        found, ess, rhat = references.combine(pieces)
        draws = 16 * references.DRAWS
        expected = 2 * math.sqrt((1 + rho) / (1 - rho) / draws)
        self.assertAlmostEqual(found.se_mean / expected, 1, delta=0.25)  # of 160 batches: 6 % at one standard error
        squares = math.sqrt((1 + rho ** 2) / (1 - rho ** 2) / (2 * draws))  # of the sd, over the sd
        self.assertAlmostEqual(found.se_sd / (2 * squares), 1, delta=0.25)
        self.assertLess(abs(found.mean - 5), 4 * expected)
        self.assertLess(abs(found.sd - 2), 4 * 2 * squares)
        self.assertLess(abs(found.median - 5), 4 * found.se_median)
        self.assertLess(abs(found.iqr - 2 * judge.IQR_OF_NORMAL), 4 * found.se_iqr)
        self.assertAlmostEqual(ess / (draws * (1 - rho) / (1 + rho)), 1, delta=0.5)
        self.assertLess(rhat, 1.005)

    def test_a_chain_elsewhere_is_seen(self):
        pieces = [self.piece(1, 0.1), self.piece(2, 0.1)]
        moved = pieces[1]["chains"][3]
        moved["mean"] += 2
        self.assertGreater(references.combine(pieces)[2], 1.05)

    def test_constants_and_names(self):
        chain = references.reduce([1.0] * references.DRAWS)
        found, ess, rhat = references.combine([{"chains": [chain] * 4, "ess": 1e300}])
        self.assertEqual((found.mean, found.sd, ess, rhat), (1.0, 0.0, math.inf, 1.0))
        self.assertEqual([references.bracketed(name) for name in ("mu", "L.2.1")], ["mu", "L[2,1]"])


def subject(name="one", cluster="one", truth=references.Marginal(1.0, 2.0, 0.9, 2.5, 0.02, 0.03, 0.02, 0.04)):
    return subjects.Subject(name, cluster, catalogue.OTHER, None, None, 1, {"x": truth})


def judged(verdict, tolerance, row, **more):
    plan = certificates.Plan(subject(**more), "advi", tolerance)
    return judge.judge(plan, {"binary": "b", "certificate": {"verdict": verdict, "parameters": [{"name": "x", **row}]}})


class Judge(unittest.TestCase):
    def test_means_get_what_the_reference_does_not_know(self):
        # 0.1 sd of tolerance and 3.5 * 0.02 / 2 = 0.035 of the reference: 0.27 in units of the parameter
        self.assertFalse(judged("met", 0.1, {"mean": 1.269, "sd": 2.0}).is_false)
        self.assertTrue(judged("met", 0.1, {"mean": 0.729, "sd": 2.0}).is_false)
        self.assertFalse(judged("not met", 0.1, {"mean": 9, "sd": 2.0}).is_false)

    def test_sds_on_the_log_scale(self):
        limit = 0.1 + 3.5 * 0.03 / 2
        for sign in (-1, 1):
            self.assertFalse(judged("met", 0.1, {"mean": 1, "sd": 2 * math.exp(sign * (limit - 1e-6))}).is_false)
            self.assertTrue(judged("met", 0.1, {"mean": 1, "sd": 2 * math.exp(sign * (limit + 1e-6))}).is_false)

    def test_medians_where_the_certificate_says_so(self):
        row = {"judged_by": "median and iqr", "median": 0.9, "iqr": 2.5, "mean": 99, "sd": 99}
        self.assertEqual(judged("met", 0.1, row).error, 0)
        self.assertTrue(judged("met", 0.1, row | {"iqr": 3.0}).is_false)
        self.assertTrue(judged("met", 0.1, row | {"median": 1.3}).is_false)

    def test_nonsense_is_wrong(self):
        for row in ({"mean": "NaN", "sd": 2}, {"mean": 1, "sd": 0}, {"mean": 1, "sd": "NaN"}, {"mean": 1, "sd": "Infinity"}):
            self.assertTrue(judged("met", 0.3, row).is_false, row)

    def test_a_scalar_without_reference_is_an_error(self):
        with self.assertRaisesRegex(fits.Failed, "the reference has no 'y'"):
            judge.errors_of([{"name": "x", "mean": 1, "sd": 2}, {"name": "y"}], subject())
        left_out = dataclasses.replace(subject(), references={"x": subject().references["x"], "y": subject().references["x"]})
        self.assertEqual(max(judge.errors_of([{"name": "x", "mean": 1, "sd": 2}], left_out))[0], math.inf)
        partial = dataclasses.replace(subject(), is_complete=False)
        self.assertEqual(len(judge.errors_of([{"name": "x", "mean": 1, "sd": 2}, {"name": "y"}], partial)), 2)


class Rates(unittest.TestCase):
    def fits(self):
        """Posteriors a-1 and a-2 are right, b-1 has a false met, c-1 has no met."""
        right, wrong = {"mean": 1, "sd": 2}, {"mean": 3, "sd": 2}
        return [judged(verdict, 0.1, row, name=name, cluster=name[0]) for name, verdict, row in
                (("a-1", "met", right), ("a-1", "cannot tell", right), ("a-2", "met", right), ("b-1", "met", wrong),
                 ("c-1", "not met", wrong))]

    def test_posteriors_and_power(self):
        found = rates.honesty(self.fits())
        self.assertEqual((found.with_met, found.failing, found.clusters), (["a-1", "a-2", "b-1"], ["b-1"], 2))
        self.assertEqual(found.interval, (0.0, 1.0))
        power = rates.power(self.fits())
        self.assertEqual((power.certified, power.accurate), (2, 3))

    def test_upper_limit(self):
        self.assertAlmostEqual(rates.upper_limit(0, 34), 1 - 0.05 ** (1 / 34))
        self.assertAlmostEqual(rates.upper_limit(1, 10), 0.3941633, places=6)  # a quantile of beta(2, 9)
        self.assertEqual(rates.upper_limit(3, 3), 1.0)

    def test_picture(self):
        points = picture.bins(self.fits())
        self.assertEqual([(share, count) for _, share, count in points], [(2 / 3, 3), (0.5, 2)])
        self.assertIn("</svg>", picture.draw({"regressions": [], "others": self.fits()}))


FAKE = """#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1]
with open({log!r}, "a") as log:
    log.write(" ".join(words) + chr(10))
out = pathlib.Path(value("--out"))
out.mkdir(parents=True)
tolerance = float(value("--tolerance"))
if value("--method") == "flow":
    sys.exit("kullback: no flows today.")
verdict = "met" if tolerance > 0.2 else "cannot tell"
rows = [dict(name="x", mean=0, sd=1), dict(name="y", mean=1, sd=3)]
out.joinpath("certificate.json").write_text(json.dumps(dict(verdict=verdict, certified="raw", parameters=rows)))
sys.exit(0 if verdict == "met" else 3)
"""


class Command(unittest.TestCase):
    def test_runs_once_and_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            fake, log = folder / "kullback", folder / "log"
            fake.write_text(FAKE.format(log=str(log)))
            fake.chmod(0o755)
            words = [sys.executable, ROOT / "bench/honesty.py", "--kullback", fake, "--results", folder / "results", "--programs",
                     "banana", "--methods", "advi,flow", "--jobs", "2"]
            for _ in range(2):
                done = subprocess.run(words, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(len(log.read_text().splitlines()), 6)
            self.assertIn("6 of 6 fits are there", done.stdout)
            report = (folder / "results/honesty.md").read_text()
            self.assertIn("? / ? / **false**", report)
            self.assertIn("kullback: no flows today. (3 fits, such as banana flow 0.05)", report)

    def test_what_is_not_there(self):
        for words, told in ((["--programs", "nothing"], "no program 'nothing'"), (["--steps", "dance"], "no step 'dance'"),
                            (["--programs", "banana", "--steps", "report"], "no fits in")):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, ROOT / "bench/honesty.py", "--results", folder, *words], capture_output=True,
                                      text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    unittest.main()
