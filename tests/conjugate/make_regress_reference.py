#!/usr/bin/env python3
"""Writes regress_reference.inc beside it: a table, scikit-learn's BayesianRidge and ARDRegression on it, and
expectations of the sigmoid function of normal variables with 30 digits. Needs NumPy, scikit-learn and mpmath.

Columns have mean 0 and deviation 1 to rounding, so that standardising does not change the prior; the table is
rounded to 12 digits before anything is computed.
"""
import pathlib

import mpmath
import numpy as np
from sklearn.linear_model import ARDRegression, BayesianRidge

ROWS, COEFFICIENTS = 150, [1.0, 0.0, -0.6, 0.0, 0.3]


def table():
    random = np.random.default_rng(7)
    x = random.normal(size=(ROWS, len(COEFFICIENTS))) + 0.5 * random.normal(size=(ROWS, 1))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    y = 2 + x @ COEFFICIENTS + 0.8 * random.normal(size=ROWS)
    return np.round(np.column_stack([x, y]), 12)


def row(name, values):
    return f"constexpr double {name}[] = {{{', '.join(repr(float(v)) for v in values)}}};\n"


def fitted(model, cells):
    return model.fit(cells[:, :-1], cells[:, -1])


def ard_sds(model):
    sds = np.zeros(len(COEFFICIENTS))
    sds[model.lambda_ < model.threshold_lambda] = np.sqrt(np.diag(model.sigma_))
    return sds


def expected_sigmoid(mean, variance):
    sd = mpmath.sqrt(variance)
    peaks = sorted({mpmath.mpf(t) for t in (-40, -10, -3, 0, 3, 10, 40)} | {-mean / sd})
    return mpmath.quad(lambda t: mpmath.npdf(t) / (1 + mpmath.exp(-mean - sd * t)), peaks)


def main():
    mpmath.mp.dps = 30
    cells = table()
    ridge = fitted(BayesianRidge(tol=1e-12, max_iter=10000), cells)
    ard = fitted(ARDRegression(tol=1e-10, max_iter=10000), cells)
    text = "// Written by make_regress_reference.py.\n"
    text += f"constexpr std::size_t kReferenceRows = {ROWS}, kReferenceColumns = {cells.shape[1]};\n"
    text += row("kReferenceTable", cells.ravel())
    text += row("kBayesianRidge", [ridge.intercept_, *ridge.coef_])
    text += row("kBayesianRidgeSd", np.sqrt(np.diag(ridge.sigma_)))
    text += f"constexpr double kBayesianRidgeNoise = {float(ridge.alpha_ ** -0.5)!r};\n"
    text += row("kArd", [ard.intercept_, *ard.coef_])
    text += row("kArdSd", ard_sds(ard))
    text += f"constexpr double kArdNoise = {float(ard.alpha_ ** -0.5)!r};\n"
    text += "struct ExpectedSigmoid {\n  double mean, variance, expected;\n};\n"
    text += "constexpr ExpectedSigmoid kExpectedSigmoids[] = {\n"
    for mean in (0.0, 0.5, -2.0, 4.0, -10.0, -30.0):
        for variance in (0.0625, 0.25, 1.0, 4.0, 8.75, 9.25, 25.0, 400.0):
            value = expected_sigmoid(mpmath.mpf(mean), mpmath.mpf(variance))
            text += f"    {{{mean}, {variance}, {mpmath.nstr(value, 17)}}},\n"
    text += "};\n"
    pathlib.Path(__file__).with_name("regress_reference.inc").write_text(text)


if __name__ == "__main__":
    main()
