#!/usr/bin/env python3
"""Data of Python as the JSON that the engine reads: exact, fast, and refused by name where it cannot be."""
import json
import math
import time
import unittest

import support
from support import EXAMPLES, SCHOOLS

import numpy as np

import kullback as kb
from kullback._data import data_text, number_text

ECHO = """
data {
  int N;
  array[N] int n;
  vector[N] x;
  matrix[N, 2] m;
}
parameters { real u; }
model { u ~ normal(0, 1); }
generated quantities {
  array[N] int n_ = n;
  vector[N] x_ = x;
  matrix[N, 2] m_ = m;
}
"""


class Numbers(support.Case):
    def test_round_trip(self):
        numbers = np.random.default_rng(1)
        bits = numbers.integers(0, 2**64, size=20_000, dtype=np.uint64).view(np.float64)
        hard = [0.0, -0.0, 0.1, 1e23, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**64, -1.5e-7, 123456789.0, 1e15, 1e16]
        values = np.concatenate([bits[np.isfinite(bits)], hard])
        back = np.array(json.loads(number_text(values)), dtype=np.float64)
        np.testing.assert_array_equal(back.view(np.uint64)[values != 0], values.view(np.uint64)[values != 0])
        self.assertEqual(math.copysign(1, json.loads(number_text(np.array(-0.0)))), -1)

    def test_fewest_digits(self):
        values = np.random.default_rng(2).normal(size=1000)
        self.assertEqual(number_text(values).decode(), "[" + ",".join(repr(v) for v in values.tolist()) + "]")

    def test_shapes(self):
        array = np.arange(24.0).reshape(2, 3, 4)
        self.assertEqual(json.loads(number_text(array)), array.tolist())
        self.assertEqual(number_text(np.array(2.5)), b"2.5")
        self.assertEqual(number_text(np.zeros(0)), b"[]")
        self.assertEqual(number_text(np.zeros((2, 0))), b"[[],[]]")
        self.assertEqual(json.loads(number_text(np.ones((1000, 1, 1, 1)))), np.ones((1000, 1, 1, 1)).tolist())

    def test_blocks(self):
        array = np.arange(2**20 + 5.0)  # a block and a little
        self.assertEqual(json.loads(number_text(array)), array.tolist())
        wide = np.arange(2**20 + 4.0).reshape(2, -1)
        self.assertEqual(json.loads(number_text(wide)), wide.tolist())

    def test_a_million_numbers(self):
        values = np.random.default_rng(3).normal(size=10**6)
        start = time.process_time()
        data_text({"x": values})
        self.assertLess(time.process_time() - start, 0.5)


class Conversions(support.Case):
    def echo(self, n, x, m):
        size = len(np.asarray(x))
        model = kb.Model(ECHO, {"N": size, "n": n, "x": x, "m": m})
        return model.constrain(np.zeros(1), generated=True)

    def test_dtypes_and_layouts(self):
        base = np.arange(6.0).reshape(3, 2) + 0.25
        for m in (base, np.asfortranarray(base), base.tolist(), np.repeat(base, 2, axis=1)[:, ::2], base.astype(">f8"),
                  base.astype(np.float16), base.astype(object), base.astype(np.longdouble)):
            found = self.echo([1, 2, 3], [0.5, 1, 2], m)
            np.testing.assert_array_equal(found["m_"], base)
        for n in (np.array([1, 0, 1], bool), np.array([1, 0, 1], np.uint8), np.array([1, 0, 1], np.int64), [True, False, True],
                  np.array([1.0, 0.0, 1.0]), (1, 0, 1), range(1, 4)):
            expected = np.asarray(n, dtype=float)
            np.testing.assert_array_equal(self.echo(n, [1.0, 2.0, 3.0], base)["n_"], expected)

    def test_float32_is_taken_as_it_is(self):
        x = np.array([0.1, 0.2, 0.3], np.float32)
        np.testing.assert_array_equal(self.echo([1, 2, 3], x, np.zeros((3, 2)))["x_"], x.astype(float))

    def test_scalars(self):
        program = "data { int k; real r; } parameters { real u; } model { u ~ normal(k, r); }"
        for k, r in ((1, 2), (True, 2.0), (np.int64(1), np.float32(2)), (np.array(1), np.array(2.0)), (1.0, 2)):
            self.assertAlmostEqual(kb.Model(program, {"k": k, "r": r}).gradient([3.0])[0], -0.5)

    def test_complex_and_tuples(self):
        program = """data { complex z; tuple(real, vector[2]) t; array[2] tuple(int, real) a; }
        parameters { real u; } model { u ~ normal(0, 1); }
        generated quantities { real s = get_imag(z) + t.1 + t.2[2] + a[2].1 + a[1].2; }"""
        data = {"z": 1 + 2j, "t": {"1": 3, "2": np.array([0.0, 4.0])}, "a": [{"1": 1, "2": 10}, {"1": 5, "2": 0}]}
        self.assertEqual(kb.Model(program, data).constrain([0.0], generated=True)["s"], 2 + 3 + 4 + 5 + 10)

    def test_sources_agree(self):
        text = (EXAMPLES / "eight_schools.json").read_text()
        path = EXAMPLES / "eight_schools.json"
        point = np.linspace(-1, 1, 10)
        values = {kb.Model(EXAMPLES / "eight_schools.stan", data).log_density(point)
                  for data in (SCHOOLS, text, path, str(path), {k: np.array(v) for k, v in SCHOOLS.items()})}
        self.assertEqual(len(values), 1)


class Refusals(support.Case):
    def refuses(self, words, **data):
        return self.assert_says(kb.InputError, words, kb.Model, ECHO, data)

    def test_by_name(self):
        good = {"N": 2, "n": [1, 2], "x": [1.0, 2.0], "m": np.zeros((2, 2))}
        cases = {
            "text ": {"x": np.array(["a", "b"])},
            "is text": {"x": "1, 2"},
            "is None": {"x": None},
            "None at [1]": {"x": [1.0, None]},
            "ragged": {"m": [[1, 2], [3]]},
            "dates": {"x": np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")},
            "masked at [1]": {"x": np.ma.masked_array([1.0, 2.0], [False, True])},
            "2^53": {"n": np.array([1, 2**60])},
            "dtype": {"x": np.zeros(2, dtype=[("a", float)])},
            "not a number at [0]": {"x": np.array([object(), 1], dtype=object)},
        }
        for words, bad in cases.items():
            name = next(iter(bad))
            with self.subTest(words):
                self.refuses([words, f"'{name}'"], **{**good, **bad})

    def test_by_the_engine(self):
        good = {"N": 2, "n": [1, 2], "x": [1.0, 2.0], "m": np.zeros((2, 2))}
        self.refuses(["'x'", "3", "vector[N]"], **{**good, "x": [1, 2, 3]})
        self.refuses(["'n[2]'", "1.5"], **{**good, "n": [1, 1.5]})
        self.refuses(["'m'"], **{**good, "m": np.zeros((2, 3))})
        del good["m"]
        self.refuses(["m"], **good)

    def test_other_things(self):
        self.assert_says(kb.InputError, "list", kb.Model, ECHO, [1, 2])
        self.assert_says(kb.InputError, "3", kb.Model, ECHO, {3: 1})
        self.assert_says(kb.MissingFileError, "no_such.json", kb.Model, ECHO, "no_such.json")
        self.assert_says(kb.InputError, "data", kb.Model, ECHO, "{not json}")


class Data(support.Case):
    def test_rows_and_others(self):
        made = kb.data({"x": [1, 2, 3], "y": [4.0, 5.0, 6.0]}, rows="N", columns=["y"], K=2)
        self.assertEqual(sorted(made), ["K", "N", "y"])
        self.assertEqual((made["N"], made["K"]), (3, 2))

    def test_refusals(self):
        self.assert_says(kb.InputError, "'z'", kb.data, {"x": [1]}, columns=["z"])
        self.assert_says(kb.InputError, "length", kb.data, {"x": [1], "y": [1, 2]}, rows="N")
        self.assert_says(kb.InputError, "'x'", kb.data, {"x": [1]}, rows="x")


if __name__ == "__main__":
    unittest.main()
