#!/usr/bin/env python3
"""tests/python/check_frames.py CACHE_FOLDER: data from pandas, Arrow, polars and SciPy, and tables for pandas.

Makes a virtual environment of this Python in CACHE_FOLDER and installs them with pip, which needs a network: therefore it is no
part of `make test`.
"""
import pathlib
import subprocess
import sys
import unittest
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ["numpy", "pandas", "pyarrow", "polars", "scipy"]
LINE = """
data { int N; vector[N] x; array[N] int k; }
parameters { real u; }
model { u ~ normal(sum(x), 1 + sum(k)); }
"""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    home = pathlib.Path(sys.argv[1]).resolve() / "frames"
    if pathlib.Path(sys.prefix) != home:
        if not (home / "installed").exists():
            venv.create(home, with_pip=True, clear=True)
            subprocess.run([home / "bin/python", "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
            (home / "installed").touch()
        sys.exit(subprocess.run([home / "bin/python", __file__, *sys.argv[1:]]).returncode)
    unittest.main(argv=[sys.argv[0]])


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(ROOT / "python"))
        import kullback
        import numpy

        cls.kb, cls.np = kullback, numpy
        cls.columns = {"x": [1.5, 2.5, 4.0], "k": [1, 0, 2]}
        cls.expected = kullback.Model(LINE, {"N": 3, **cls.columns}).log_density([0.3])

    def frames(self):
        import pandas
        import polars
        import pyarrow

        yield pandas.DataFrame(self.columns)
        yield pandas.DataFrame({"k": pandas.array([1, 0, 2], dtype="Int64"), "x": pandas.array([1.5, 2.5, 4.0], dtype="Float64")})
        yield pandas.DataFrame(self.columns, index=[7, 3, 5])
        yield pandas.DataFrame(self.columns).convert_dtypes(dtype_backend="pyarrow")
        yield pyarrow.table(self.columns)
        yield pyarrow.Table.from_batches(pyarrow.table(self.columns).to_batches(max_chunksize=2))
        yield pyarrow.record_batch(self.columns)
        yield polars.DataFrame(self.columns)

    def test_columns_become_arrays(self):
        for frame in self.frames():
            with self.subTest(type(frame)):
                self.assertEqual(self.kb.Model(LINE, self.kb.data(frame, rows="N")).log_density([0.3]), self.expected)
                with self.assertRaisesRegex(self.kb.InputError, "N"):  # it is not invented
                    self.kb.Model(LINE, frame)

    def test_columns_as_values(self):
        for frame in self.frames():
            data = {"N": 3, "x": frame["x"], "k": frame["k"]}
            self.assertEqual(self.kb.Model(LINE, data).log_density([0.3]), self.expected)

    def test_missing_values_are_named(self):
        import pandas
        import polars
        import pyarrow

        holes = {"x": [1.5, 2.5, None], "k": [1, 0, 2]}
        ints = {"x": [1.5, 2.5, 1.0], "k": [1, None, 2]}
        for make in (pandas.DataFrame, pyarrow.table, polars.DataFrame):
            for columns, name, row in ((holes, "x", 2), (ints, "k", 1)):
                with self.subTest(make=make, name=name), self.assertRaisesRegex(self.kb.InputError, f"'{name}'.*row {row}"):
                    self.kb.data(make(columns), rows="N")

    def test_other_columns(self):
        import pandas

        base = pandas.DataFrame(self.columns)
        for name, values, words in (("t", ["a", "b", "c"], "'t'"), ("t", pandas.Categorical(["a", "b", "a"]), "categories"),
                                    ("t", pandas.to_datetime(["2020-01-01"] * 3), "dates")):
            with self.subTest(words), self.assertRaisesRegex(self.kb.InputError, words):
                self.kb.data(base.assign(**{name: values}), rows="N")
            self.kb.data(base.assign(**{name: values}), rows="N", columns=["x", "k"])
        twice = pandas.DataFrame([[1, 2]], columns=["x", "x"])
        with self.assertRaisesRegex(self.kb.InputError, "two columns"):
            self.kb.data(twice)

    def test_commands(self):
        import pandas
        import polars
        import pyarrow

        numbers = self.np.random.default_rng(1)
        columns = {"a": numbers.normal(size=50).tolist(), "b": numbers.normal(size=50).tolist(), "colour": ["red", "blue"] * 25}
        bounds = {self.kb.regress(make(columns), "a", ignore=["colour"], seed=1).summary["elbo"]
                  for make in (pandas.DataFrame, pyarrow.table, polars.DataFrame)}
        self.assertEqual(len(bounds), 1)
        holes = pandas.DataFrame({"a": [1.0, None, 3.0, 4.0] * 5, "b": [1.0, 2.0, 3.0, 5.0] * 5})
        self.assertEqual(len(self.kb.mixture(holes, components=1, seed=1)["responsibilities"]), 20)

    def test_sparse_documents(self):
        import scipy.sparse

        counts = self.np.random.default_rng(2).poisson(0.8, size=(30, 12)) + self.np.eye(30, 12, dtype=int)
        dense = self.kb.topics(counts, topics=2, seed=1).summary["elbo"]
        self.assertAlmostEqual(self.kb.topics(scipy.sparse.coo_matrix(counts), topics=2, seed=1).summary["elbo"], dense, delta=1e-6 * abs(dense))
        with self.assertRaisesRegex(self.kb.InputError, "sparse"):
            self.kb.Model(LINE, {"x": scipy.sparse.eye(3)})

    def test_tables(self):
        fit = self.kb.fit(ROOT / "examples/eight_schools.stan", ROOT / "examples/eight_schools.json", method="nuts", seed=1)
        frame = fit.summary().to_pandas()
        self.assertEqual(frame.loc["theta[1]", "mean"], fit.summary().row("theta[1]")["mean"])
        self.assertIn("rhat", frame.columns)


if __name__ == "__main__":
    main()
