#!/usr/bin/env python3
"""to_arviz() of every kind of fit: its groups, by a stand-in for ArviZ and xarray, which need not be here. tests/python/check_arviz.py
does the same with the packages themselves."""
import sys
import types
import unittest

import support
from support import EXAMPLES, SCHOOLS, read_chain

import numpy as np

import kullback as kb

PROGRAM = (EXAMPLES / "eight_schools.stan").read_text().replace(
    "generated quantities {", "generated quantities {\n  vector[J] y_rep = to_vector(normal_rng(theta, sigma)); real y_tilde = 1;")
LOGISTIC = EXAMPLES / "logistic.stan"


class Dataset(dict):
    """Of variables: arrays by name, with `dims` beside them."""

    def __init__(self, made, coords, attrs):
        super().__init__({name: values for name, (_, values) in made.items()})
        self.dims = {name: tuple(dims) for name, (dims, _) in made.items()}
        self.attrs = attrs


class ToArviz(support.Case):
    def setUp(self):
        super().setUp()
        arviz = types.ModuleType("arviz")
        arviz.__version__, arviz.InferenceData = "0.20.0", dict
        xarray = types.ModuleType("xarray")
        xarray.Dataset = Dataset
        sys.modules.update({"arviz": arviz, "xarray": xarray})
        self.addCleanup(lambda: [sys.modules.pop(name) for name in ("arviz", "xarray")])

    def test_chains(self):
        fit = kb.fit(PROGRAM, SCHOOLS, method="nuts", chains=2, draws=50, warmup=100, seed=1)
        groups = fit.to_arviz()
        self.assertEqual(set(groups), {"posterior", "posterior_predictive", "log_likelihood", "sample_stats", "observed_data",
                                       "constant_data"})
        np.testing.assert_array_equal(groups["posterior"]["theta"], fit.draws("theta"))
        self.assertEqual(set(groups["posterior_predictive"]), {"y_rep", "y_tilde"})
        np.testing.assert_array_equal(groups["observed_data"]["y"], SCHOOLS["y"])
        self.assertEqual(set(groups["observed_data"]), {"y"})
        self.assertEqual(set(groups["constant_data"]), {"J", "sigma"})
        self.assertEqual(groups["sample_stats"]["diverging"].dtype, bool)

    def test_what_the_ladder_ends_at(self):
        """The ladder ends at laplace, whose evidence has the ELBO."""
        fit = kb.fit(LOGISTIC, EXAMPLES / "logistic.json", seed=1)
        self.assertEqual(fit.method, "laplace")
        attributes = fit.to_arviz()["posterior"].attrs
        self.assertAlmostEqual(attributes["elbo"], fit.certificate.evidence["elbo"]["value"])
        self.assertEqual(attributes["verdict"], fit.certificate.verdict)

    def test_every_method(self):
        for options in ({"method": "laplace"}, {"method": "advi"}, {"method": "pathfinder"}, {"method": "optimize"}, {"method": "smc"},
                        {"method": "laplace", "tolerance": 0.5}, {"method": "advi", "tolerance": 0.5}, {"tolerance": 0.5}):
            with self.subTest(**options):
                fit = kb.fit(PROGRAM, SCHOOLS, seed=1, **options)
                groups = fit.to_arviz()
                self.assertEqual(groups["posterior"]["mu"].size, fit.draws("mu").size)

    def test_weights(self):
        """What is in `posterior` has the weighted means, and is what the folder's files have for other readers."""
        fit = kb.fit(LOGISTIC, EXAMPLES / "logistic.json", tolerance=0.1, seed=1)
        self.assertEqual(fit.certificate.certified, "reweighted")
        groups = fit.to_arviz()
        self.assertNotIn("log_weight", groups["sample_stats"])
        np.testing.assert_array_equal(groups["approximation"]["log_weight"], fit.stat("log_weight"))
        np.testing.assert_array_equal(groups["approximation"]["beta"], fit.draws("beta"))
        weighted = np.average(fit.draws("beta")[0, :, 0], weights=fit.weights)
        sd = fit.draws("beta")[0, :, 0].std()
        self.assertLess(abs(groups["posterior"]["beta"][..., 0].mean() - weighted), 0.01 * sd)
        folder = fit.save(self.scratch / "kept")
        stored = read_chain(self.scratch / "kept" / "chain-1.csv")
        np.testing.assert_array_equal(stored["beta.1"], fit["beta"][:, 0])
        np.testing.assert_array_equal(stored["beta.1"], groups["posterior"]["beta"][0, :, 0])
        self.assertNotIn("log_weight__", stored)
        self.assertIn("log_weight__", read_chain(self.scratch / "kept" / "weighted.csv"))
        again = kb.load(folder)
        np.testing.assert_array_equal(again.weights, fit.weights)
        np.testing.assert_array_equal(again["beta"], fit["beta"])


if __name__ == "__main__":
    unittest.main()
