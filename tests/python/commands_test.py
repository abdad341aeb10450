#!/usr/bin/env python3
"""kb.mixture and its relatives against the commands they start, with data of Python and of files."""
import contextlib
import io
import json
import os
import pathlib
import signal
import threading
import unittest

import support
from support import BUILD, EXAMPLES, engine

import numpy as np

import kullback as kb


def two_groups():
    numbers = np.random.default_rng(1)
    return np.concatenate([numbers.normal(-5, 1, size=(60, 2)), numbers.normal(5, 1, size=(40, 2))])


class Mixture(support.Case):
    def test_from_an_array(self):
        groups = kb.mixture(two_groups(), components=2, seed=1)
        self.assertEqual(groups.kind, "mixture")
        np.testing.assert_allclose(sorted(groups["components"]["weight"]), [0.4, 0.6], atol=0.01)
        self.assertEqual(len(groups["responsibilities"]), 100)
        self.assertIn("components", repr(groups))
        self.assertNotIn("Results:", repr(groups))
        self.assertLess(groups.summary["elbo"], 0)

    def test_same_as_the_command(self):
        rows = two_groups()
        table = self.scratch / "rows.csv"
        table.write_text("a,b\n" + "".join(f"{x!r},{y!r}\n" for x, y in rows.tolist()))
        engine("mixture", table, "--components", "3", "--seed", "4", "--out", self.scratch / "cli", "--quiet")
        expected = kb.load(self.scratch / "cli")
        layouts = {"dict": {"a": rows[:, 0], "b": rows[:, 1]}, "path": table, "array": rows, "fortran": np.asfortranarray(rows)}
        for name, data in layouts.items():
            with self.subTest(name):
                found = kb.mixture(data, components=3, seed=4)
                self.assertEqual(found.summary["elbo"], expected.summary["elbo"])

    def test_text_and_missing_cells(self):
        table = {"colour": ["red", "blue", None, "red"] * 10, "size": ["s", "s", "l", "l"] * 10}
        groups = kb.mixture(table, kind="categorical", components=2, seed=1)
        self.assertIn("levels", groups.tables)
        self.assertEqual(groups["levels"].columns[next(iter(groups["levels"].columns))].dtype.kind, "U")

    def test_predict_and_save(self):
        groups = kb.mixture({"x": two_groups()[:, 0]}, components=2, seed=1)
        new = groups.predict({"x": [-5.0, 5.0]})
        probability = np.stack([new["responsibilities"]["p1"], new["responsibilities"]["p2"]])
        np.testing.assert_allclose(probability.max(axis=0), 1, atol=1e-3)
        self.assertNotEqual(*new["responsibilities"]["component"])
        folder = groups.save(self.scratch / "kept")
        self.assertEqual(kb.load(folder).summary, groups.summary)
        self.assert_says(kb.CannotWriteError, "kept", groups.save, folder)
        self.assertIn("bound", kb.load(folder).text)
        with open(pathlib.Path(folder) / "components.csv", "a", encoding="utf-8") as table:
            table.write("0.5,0,0\n")
        self.assert_says(kb.InputError, "components.csv: has", kb.load, folder)
        self.assertIn("<html", pathlib.Path(groups.report(self.scratch / "groups.html")).read_text(encoding="utf-8"))

    def test_temporary_folder_goes(self):
        groups = kb.mixture(two_groups(), components=2, seed=1)
        folder = pathlib.Path(groups.folder)
        self.assertTrue(folder.exists())
        del groups
        self.assertFalse(folder.exists())

    def test_flags(self):
        groups = kb.mixture(two_groups(), components=2, seed=1, no_units=True, join=False)
        self.assertNotIn("responsibilities", groups.tables)
        self.assertIs(groups.record["options"]["join"], False)

    def test_refusals(self):
        refuse = lambda kind, words, data, **options: self.assert_says(kind, words, kb.mixture, data, **options)
        refuse(kb.UsageError, ["componets", "components"], two_groups(), componets=2)
        refuse(kb.UsageError, ["tolerance", "bound_tol"], two_groups(), tolerance=0.1)
        refuse(kb.UsageError, "dict", two_groups(), components={})
        refuse(kb.InputError, "length", {"a": [1, 2], "b": [1]})
        refuse(kb.InputError, "dimensions", np.zeros((2, 2, 2)))
        refuse(kb.InputError, "complex", np.zeros((3, 2), complex))
        refuse(kb.InputError, "'a'", {"a": np.zeros((2, 2))})
        refuse(kb.InputError, "'t'", {"t": np.array(["2020-01-01"], dtype="datetime64[D]")})
        refuse(kb.MissingFileError, "no_such.csv", "no_such.csv")
        refuse(kb.InputError, "there are no columns", {})


class Shown(support.Case):
    def test_progress_and_errors(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            kb.mixture(two_groups(), components=2, seed=1, progress=True)
            error = self.assert_says(kb.UsageError, "nowt", kb.mixture, two_groups(), method="nowt", progress=True)
        self.assertNotIn("kullback:", error.message)
        self.assertIn("nowt", shown.getvalue())

    def test_ctrl_c(self):
        rows = np.random.default_rng(1).normal(size=(100_000, 5))
        timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(kb.Interrupted):
            kb.mixture(rows, components=30, bound_tol=0, passes=1_000_000, join=False, seed=1)
        timer.cancel()


class Others(support.Case):
    def test_topics(self):
        fruit, metal = ["apple", "pear", "plum"], ["iron", "zinc", "lead"]
        numbers = np.random.default_rng(2)
        documents = [list(numbers.choice(fruit if i % 2 else metal, size=30)) for i in range(40)]
        found = kb.topics([[str(w) for w in d] for d in documents], topics=2, seed=1, starts=3)
        words, topic = found["topics"]["word"], found["topics"]["topic"]
        top = [set(words[topic == k][:3]) for k in np.unique(topic)]
        self.assertCountEqual(map(sorted, top), [sorted(fruit), sorted(metal)])
        counts = np.array([[d.count(w) for w in fruit + metal] for d in documents])
        dense = kb.topics(counts, fruit + metal, topics=2, seed=1)
        self.assertEqual(set(dense["topics"]["word"]), set(fruit + metal))
        self.assert_says(kb.InputError, "0.5", kb.topics, counts + 0.5)
        self.assert_says(kb.InputError, "-1", kb.topics, counts - 1 - counts.max())

    def test_hmm(self):
        numbers = np.random.default_rng(3)
        values = np.concatenate([numbers.normal(0, 1, 50), numbers.normal(8, 1, 50)])
        states = kb.hmm({"x": values}, states=2, seed=1)["states"]["state"]
        self.assertEqual(len(set(states[:50])), 1)
        self.assertNotEqual(states[0], states[-1])

    def test_factors(self):
        numbers = np.random.default_rng(4)
        scores = numbers.normal(size=(200, 1))
        table = scores @ np.array([[1.0, 2.0, -1.0]]) + 0.1 * numbers.normal(size=(200, 3))
        self.assertEqual(kb.factors(table, factors=2, seed=1)["factors"].columns["in_use"].sum(), 1)

    def test_regress(self):
        numbers = np.random.default_rng(5)
        x = numbers.normal(size=200)
        fit = kb.regress({"x": x, "y": 3 * x + numbers.normal(size=200)}, "y", seed=1)
        row = fit["coefficients"].row("x")
        slope = np.polyfit(x, 3 * x, 1)[0]
        self.assertLess(abs(row["mean"] - slope), 4 * row["sd"])
        self.assertEqual(len(fit.predict({"x": [0.0, 1.0]})["predictions"]["mean"]), 2)
        self.assert_says(kb.InputError, "nothing", kb.regress, {"x": x}, "nothing")

    def test_certify(self):
        engine("fit", EXAMPLES / "logistic.stan", EXAMPLES / "logistic.json", "--method", "laplace", "--seed", "1", "--out",
               self.scratch / "f", "--quiet")
        certificate = kb.certify(self.scratch / "f", tolerance=0.2)
        self.assertEqual(certificate.tolerance, 0.2)
        self.assertIn(certificate.verdict, ("met", "not met", "cannot tell"))
        self.assertEqual(len(certificate.parameters), 3)
        self.assertFalse((self.scratch / "f" / "certificate.json").exists())
        given = {name: np.array(value) for name, value in json.loads((EXAMPLES / "logistic.json").read_text()).items()}
        fit = kb.fit(EXAMPLES / "logistic.stan", given, method="laplace", seed=1)
        self.assertEqual(kb.certify(fit, tolerance=0.2).record["parameters"], certificate.record["parameters"])

    def test_methods(self):
        self.assertIn("nuts", kb.methods())
        self.assertIn("target_accept", kb.methods("nuts"))
        self.assert_says(kb.UsageError, "nutz", kb.methods, "nutz")


@unittest.skipUnless((BUILD / "kullback-deep").exists(), "kullback-deep is not built")
class Deep(support.Case):
    def test_network(self):
        x = np.linspace(-2, 2, 120)
        table = {"x": x, "y": np.sin(2 * x)}
        net = kb.bnn(table, "y", posterior="ensemble", members=2, hidden=[16], epochs=60, seed=1, threads=1)
        self.assertEqual((net.kind, net.record["options"]["members"]), ("bnn", 2))
        new = net.predict({"x": [0.0, 1.0], "y": [0.0, np.sin(2.0)]})
        self.assertEqual(len(new["predictions"]["mean"]), 2)
        self.assertIn("rmse", new.metrics)

    def test_autoencoder(self):
        numbers = np.random.default_rng(6)
        images = (numbers.uniform(size=(80, 4, 4)) < 0.5).astype(np.uint8) * 255
        model = kb.vae(images, latent=2, hidden=8, epochs=2, seed=1, threads=1)
        mean, sd = model.encode(images[:5])
        self.assertEqual((mean.shape, sd.shape), ((5, 2), (5, 2)))
        self.assertTrue((sd > 0).all())
        self.assertEqual(model.decode(mean).shape, (5, 16))
        self.assertEqual(model.sample(7, seed=1).shape, (7, 16))
        self.assert_says(kb.InputError, "uint8", kb.vae, images / 255.0)

    def test_images_of_classes(self):
        images = np.random.default_rng(7).integers(0, 255, size=(60, 4, 4), dtype=np.uint8)
        model = kb.vae(images, np.arange(60) % 2, conditional=True, latent=2, hidden=8, epochs=2, seed=1, threads=1)
        self.assertEqual(model.sample(3, label="1").shape, (3, 16))
        figures = kb.evaluate(model, images[:10], labels=np.arange(10) % 2, samples=20, gaps=False, threads=1)
        self.assertIn("evidence lower bound", repr(figures))
        self.assertLess(figures.summary["test"]["elbo"]["mean"], figures.summary["test"]["log_likelihood"]["mean"])

    def test_energy(self):
        rows = np.random.default_rng(8).normal(size=(200, 2))
        energy = kb.ebm(rows, hidden=[16], epochs=3, seed=1, threads=1)
        self.assertEqual(energy.kind, "ebm")
        self.assertEqual(energy.sample(5, from_="base", transitions=3).shape, (5, 2))
        found = kb.loglik(energy, rows[:20], chains=10, temperatures=10, raise_rows=0, threads=1)
        self.assertEqual(found.rows["log_likelihood"].shape, (20,))
        self.assertAlmostEqual(found.rows["log_likelihood"].mean(), found.summary["log_likelihood"], places=6)
        self.assertNotIn("Row by row", repr(found))
        again = kb.loglik(energy.folder, rows[:20], chains=10, temperatures=10, raise_rows=0, threads=1)
        np.testing.assert_array_equal(again.rows["log_likelihood"], found.rows["log_likelihood"])

    def test_diffusion_and_restoring(self):
        rows = np.random.default_rng(9).normal([0, 3], [1, 2], size=(200, 2))
        model = kb.diffusion(rows, hidden=[16], epochs=5, seed=1, threads=1)
        self.assertEqual(model.sample(4, steps=5, threads=1).shape, (4, 2))
        self.assertEqual(len(model.loglik(rows[:3], threads=1).rows["standard_error"]), 3)
        seen = rows[:3, :1]
        restored = model.restore(seen, operator="linear", matrix=np.array([[1.0, 0.0]]), noise_sd=0.01, count=6, steps=20,
                                 particles=40, runs=2, threads=1)
        self.assertEqual((restored.mean.shape, restored.sd.shape, restored.draws.shape), ((3, 2), (3, 2), (3, 6, 2)))
        np.testing.assert_allclose(restored.mean[:, 0], seen[:, 0], atol=0.3)  # what was seen stays
        self.assertEqual(restored.record["operator"], "linear")
        np.testing.assert_array_equal(restored.rows["seen"], [1, 1, 1])
        self.assertIn("row 3", repr(restored))
        self.assert_says(kb.UsageError, "operator", model.restore, seen, noise_sd=0.1)

    def test_score_and_states(self):
        rows = np.random.default_rng(10).normal(size=(100, 2))
        score = kb.score(rows, hidden=[8], levels=4, epochs=2, seed=1, threads=1)
        self.assertEqual(score.kind, "score")
        counts = {"trees": np.arange(60) % 4, "nests": np.arange(60) % 3}
        states = kb.diffusion(counts, states="blackout", hidden=[8], epochs=2, seed=1, threads=1)
        self.assertEqual(states.kind, "discrete-diffusion")
        self.assertIn("bound", states.loglik(counts, draws=1, threads=1).rows.columns)

    def test_ctrl_c(self):
        rows = np.random.default_rng(1).normal(size=(5_000, 5))
        timer = threading.Timer(2.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(kb.Interrupted):
            kb.diffusion(rows, epochs=1_000_000, seed=1, threads=1)
        timer.cancel()

    def test_posteriors(self):
        self.assertIn("ensemble", kb.posteriors())

    def test_elsewhere(self):
        os.environ["KULLBACK_DEEP"] = str(self.scratch / "nowhere")
        try:
            self.assert_says(kb.MissingFileError, "nowhere", kb.bnn, {"x": [1.0], "y": [1.0]}, "y")
        finally:
            del os.environ["KULLBACK_DEEP"]

    def test_encode_is_of_autoencoders(self):
        groups = kb.mixture(two_groups(), components=1, seed=1)
        self.assert_says(kb.UsageError, "autoencoders", groups.encode, two_groups())
        self.assert_says(kb.UsageError, "diffusion models", kb.restore, groups, two_groups())


if __name__ == "__main__":
    unittest.main()
