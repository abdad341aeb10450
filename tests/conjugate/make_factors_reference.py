#!/usr/bin/env python3
"""Reference values of tests/conjugate/factors_test.cpp (FactorsReference): scikit-learn's FactorAnalysis and PCA on rows that a
linear congruential generator makes, the same in both languages. Needs NumPy and scikit-learn; prints what stands in the test."""
import numpy as np
from sklearn.decomposition import PCA, FactorAnalysis

ROWS, COLUMNS, FACTORS = 20000, 6, 2


class Generator:
    """Sums of four uniform numbers, scaled to variance 1."""

    def __init__(self):
        self.state = 1

    def uniform(self):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state + 0.5) / 2**32

    def number(self):
        return (self.uniform() + self.uniform() + self.uniform() + self.uniform() - 2) * 3**0.5


def table(uneven):
    numbers = Generator()
    loadings = [[numbers.number() for _ in range(FACTORS)] for _ in range(COLUMNS)]
    rows = np.empty((ROWS, COLUMNS))
    for n in range(ROWS):
        z = [numbers.number() for _ in range(FACTORS)]
        for d in range(COLUMNS):
            noise = 0.5 * (1 + d * uneven)
            rows[n, d] = sum(loadings[d][k] * z[k] for k in range(FACTORS)) + d + noise * numbers.number()
    return rows


def show(name, values):
    print(f"{name} = {{{', '.join(f'{v:.10g}' for v in np.ravel(values))}}};")


def main():
    fa = FactorAnalysis(FACTORS, svd_method="lapack", tol=1e-10, max_iter=100000).fit(table(0.3))
    show("fa common covariance", (fa.components_.T @ fa.components_)[np.tril_indices(COLUMNS)])
    show("fa noise variances", fa.noise_variance_)
    show("fa mean log likelihood", fa.score(table(0.3)))
    pca = PCA(FACTORS).fit(table(0.0))
    axes = pca.components_.T * np.sqrt(pca.explained_variance_ - pca.noise_variance_)
    show("pca common covariance", (axes @ axes.T)[np.tril_indices(COLUMNS)])
    show("pca noise variance", pca.noise_variance_)


main()
