#!/usr/bin/env python3
"""kb.Model against formulas written here, finite differences, and itself in batches."""
import gc
import math
import threading
import unittest

import support
from support import EXAMPLES, SCHOOLS

import numpy as np

import kullback as kb


def schools_log_density(theta, constants=False):
    """Of examples/eight_schools.stan with tau = exp(theta[1]) and its Jacobian, by hand."""
    mu, log_tau, z = theta[0], theta[1], theta[2:]
    tau = math.exp(log_tau)
    y, sigma = np.array(SCHOOLS["y"], float), np.array(SCHOOLS["sigma"], float)
    value = -0.5 * (mu / 5) ** 2 - math.log1p((tau / 5) ** 2) + log_tau
    value += -0.5 * np.sum(z**2) - 0.5 * np.sum(((y - mu - tau * z) / sigma) ** 2)
    if constants:
        value += -math.log(5) - 0.5 * math.log(2 * math.pi) - math.log(math.pi) - math.log(5)
        value += -8 * math.log(2 * math.pi) - np.sum(np.log(sigma))
    return value


class Density(support.Case):
    def setUp(self):
        super().setUp()
        self.model = kb.Model(EXAMPLES / "eight_schools.stan", SCHOOLS)
        self.points = np.random.default_rng(1).normal(size=(7, 10))

    def test_shape_and_names(self):
        self.assertEqual(self.model.dim, 10)
        self.assertEqual(self.model.names[:3], ["mu", "tau", "z[1]"])
        self.assertEqual(len(self.model.unconstrained_names), 10)

    def test_against_the_formula(self):
        for point in self.points:
            # Constants are left out on both sides, so differences count; with them the value does.
            difference = self.model.log_density(point) - self.model.log_density(self.points[0])
            expected = schools_log_density(point) - schools_log_density(self.points[0])
            self.assertAlmostEqual(difference, expected, delta=1e-11)
            whole = self.model.log_density(point, constants=True)
            self.assertAlmostEqual(whole, schools_log_density(point, constants=True), delta=1e-11)

    def test_without_jacobian(self):
        point = self.points[0]
        with_it = self.model.log_density(point)
        self.assertAlmostEqual(with_it - self.model.log_density(point, jacobian=False), point[1], delta=1e-12)

    def test_gradient_by_differences(self):
        point, step = self.points[0], 1e-5
        gradient = self.model.gradient(point)
        for i in range(10):
            ahead, behind = point.copy(), point.copy()
            ahead[i] += step
            behind[i] -= step
            slope = (schools_log_density(ahead) - schools_log_density(behind)) / (2 * step)
            self.assertAlmostEqual(gradient[i], slope, delta=1e-7)

    def test_batch_equals_single(self):
        values, gradients = self.model.log_density_and_gradient(self.points)
        self.assertEqual(gradients.shape, (7, 10))
        np.testing.assert_array_equal(values, self.model.log_density(self.points))
        np.testing.assert_array_equal(gradients, self.model.gradient(self.points))
        for point, value, gradient in zip(self.points, values, gradients):
            self.assertAlmostEqual(self.model.log_density(point), value, delta=1e-12)
            np.testing.assert_allclose(self.model.gradient(point), gradient, rtol=1e-12, atol=1e-12)
            alone = self.model.log_density_and_gradient(point)
            self.assertEqual(alone[0], self.model.log_density(point))

    def test_layouts_and_dtypes(self):
        expected = self.model.gradient(self.points[0])
        strided = np.zeros((10, 2))
        strided[:, 1] = self.points[0]
        np.testing.assert_array_equal(self.model.gradient(strided[:, 1]), expected)
        np.testing.assert_array_equal(self.model.gradient(self.points[0].tolist()), expected)
        np.testing.assert_array_equal(self.model.gradient(self.points[0].astype(">f8")), expected)
        fortran = np.asfortranarray(self.points)
        np.testing.assert_array_equal(self.model.gradient(fortran), self.model.gradient(self.points))
        single = self.points[0].astype(np.float32)
        np.testing.assert_array_equal(self.model.gradient(single), self.model.gradient(single.astype(float)))
        self.assertEqual(self.model.log_density(np.zeros((0, 10))).shape, (0,))

    def test_wrong_points_are_refused(self):
        for bad in (np.zeros(9), np.zeros((10, 1)), np.zeros((2, 3, 10)), 1.0):
            self.assert_says(kb.UsageError, ["shape", "(10,)"], self.model.gradient, bad)
        self.assert_says(kb.UsageError, "complex128", self.model.gradient, np.zeros(10, complex))
        self.assert_says(kb.UsageError, "dtype", self.model.log_density, ["a"] * 10)

    def test_not_finite(self):
        point = np.full(10, 1e200)
        self.assertEqual(self.model.log_density(point), -math.inf)
        self.assertTrue(np.isnan(self.model.gradient(point)).all())
        self.assertNotEqual(self.model.explain(point), "")
        self.assertEqual(self.model.explain(self.points[0]), "")

    def test_hessian(self):
        point, step = self.points[1], 1e-5
        direction = np.arange(10.0)
        ahead = self.model.gradient(point + step * direction)
        behind = self.model.gradient(point - step * direction)
        found = self.model.hessian_times(point, direction)
        np.testing.assert_allclose(found, (ahead - behind) / (2 * step), rtol=1e-5, atol=1e-4)
        matrix = self.model.hessian_times(point, np.eye(10))
        np.testing.assert_allclose(matrix, matrix.T, rtol=1e-5, atol=1e-6)
        self.assert_says(kb.UsageError, "one point", self.model.hessian_times, self.points, direction)

    def test_bind(self):
        theta, gradient = np.zeros(10), np.zeros(10)
        bound = self.model.bind(theta, gradient)
        for point in self.points:
            theta[:] = point
            self.assertEqual(bound(), self.model.log_density(point))
            np.testing.assert_array_equal(gradient, self.model.gradient(point))
        only_value = self.model.bind(theta)
        self.assertEqual(only_value(), self.model.log_density(theta))

    def test_bind_keeps_the_model(self):
        theta, gradient = np.zeros(10), np.zeros(10)
        bound = kb.Model(EXAMPLES / "eight_schools.stan", SCHOOLS).bind(theta, gradient)
        gc.collect()
        self.assertEqual(bound(), self.model.log_density(theta))

    def test_bind_refuses_other_buffers(self):
        good = np.zeros(10)
        read_only = np.zeros(10)
        read_only.flags.writeable = False
        cases = [
            ((good, np.zeros(9)), "gradient"),
            ((good.astype(np.float32), good), "float32"),
            ((np.zeros(20)[::2], good), "not contiguous"),
            (([0.0] * 10, good), "list"),
            ((good, read_only), "gradient may not be written"),
        ]
        for arguments, word in cases:
            self.assert_says(kb.UsageError, word, self.model.bind, *arguments)

    def test_threads(self):
        expected = [self.model.gradient(point) for point in self.points]
        wrong = []

        def work(index):
            for _ in range(200):
                if not np.array_equal(self.model.gradient(self.points[index]), expected[index]):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Parameters(support.Case):
    PROGRAM = """
    parameters {
      simplex[3] p;
      array[2] vector<lower=1>[3] a;
      cholesky_factor_corr[2] L;
      real<lower=-1, upper=2> b;
    }
    transformed parameters { matrix[2, 3] m = [a[1]', a[2]']; }
    model { a[1] ~ lognormal(0, 1); a[2] ~ lognormal(0, 1); }
    generated quantities { real draw = normal_rng(0, 1); }
    """

    def setUp(self):
        super().setUp()
        self.model = kb.Model(self.PROGRAM)

    def test_constrain(self):
        points = np.random.default_rng(2).normal(size=(5, self.model.dim))
        params = self.model.constrain(points)
        self.assertEqual({k: v.shape[1:] for k, v in params.items()},
                         {"p": (3,), "a": (2, 3), "L": (2, 2), "b": (), "m": (2, 3)})
        np.testing.assert_allclose(params["p"].sum(axis=1), 1, atol=1e-14)
        self.assertTrue((params["a"] > 1).all())
        np.testing.assert_array_equal(params["m"], params["a"])
        np.testing.assert_allclose(np.linalg.norm(params["L"], axis=2), 1, atol=1e-14)
        one = self.model.constrain(points[3])
        for name in params:
            np.testing.assert_array_equal(one[name], params[name][3])

    def test_parts(self):
        theta = np.zeros(self.model.dim)
        self.assertNotIn("m", self.model.constrain(theta, transformed=False))
        first = self.model.constrain(theta, generated=True, seed=1)["draw"]
        self.assertEqual(first, self.model.constrain(theta, generated=True, seed=1)["draw"])
        self.assertNotEqual(first, self.model.constrain(theta, generated=True, seed=2)["draw"])

    def test_there_and_back(self):
        points = np.random.default_rng(3).normal(size=(4, self.model.dim))
        params = self.model.constrain(points, transformed=False)
        for i, point in enumerate(points):
            back = self.model.unconstrain({name: values[i] for name, values in params.items()})
            np.testing.assert_allclose(back, point, atol=1e-9)
        columns = np.concatenate([v.transpose(0, *range(v.ndim - 1, 0, -1)).reshape(4, -1) for v in params.values()], axis=1)
        np.testing.assert_allclose(self.model.unconstrain(columns), points, atol=1e-9)

    def test_bad_parameters(self):
        params = self.model.constrain(np.zeros(self.model.dim), transformed=False)
        self.assert_says(kb.Error, "b", self.model.unconstrain, {**params, "b": 5.0})
        del params["b"]
        self.assert_says(kb.Error, "b", self.model.unconstrain, params)
        self.assert_says(kb.UsageError, "params", self.model.unconstrain, np.zeros(2))


class Programs(support.Case):
    def test_errors_show_the_source(self):
        error = self.assert_says(kb.InputError, ["model.stan", "vecto", "^", "vector"],
                                 kb.Model, "parameters { vecto[2] z; } model { z ~ std_normal(); }")
        self.assertIsInstance(error, ValueError)
        done = support.subprocess.run([support.os.environ["KULLBACK"], "fit", self.write("vecto[2] z;")],
                                      capture_output=True, text=True)
        path = str(self.scratch / "bad.stan")
        error = self.assert_says(kb.InputError, path, kb.Model, path)
        self.assertEqual(str(error).strip(), done.stderr.strip())

    def write(self, declaration):
        path = self.scratch / "bad.stan"
        path.write_text("parameters {\n  " + declaration + "\n}\nmodel {\n  z ~ std_normal();\n}\n")
        return path

    def test_includes(self):
        (self.scratch / "half.stan").write_text("real half(real x) { return x / 2; }\n")
        program = self.scratch / "uses.stan"
        program.write_text("functions {\n#include half.stan\n}\nparameters { real x; }\nmodel { target += -half(x * x); }\n")
        self.assertAlmostEqual(kb.Model(program).log_density([2.0]), -2.0)
        text = program.read_text()
        self.assert_says(kb.InputError, "half.stan", kb.Model, text)
        self.assertAlmostEqual(kb.Model(text, include_paths=[self.scratch]).log_density([2.0]), -2.0)

    def test_missing_program(self):
        error = self.assert_says(kb.MissingFileError, "no_such.stan", kb.Model, "no_such.stan")
        self.assertIsInstance(error, FileNotFoundError)
        self.assert_says(kb.UsageError, "int", kb.Model, 3)

    def test_many_models_are_freed(self):
        for _ in range(20):
            kb.Model("parameters { real x; } model { x ~ normal(0, 1); }").gradient(np.zeros(1))


if __name__ == "__main__":
    unittest.main()
