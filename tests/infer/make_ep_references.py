#!/usr/bin/env python3
"""Reference values of tests/infer/ep_test.cpp; needs NumPy and SciPy.

Probit regression: sequential expectation propagation with the closed forms of its tilted moments, and the posterior by a
grid. Logistic regression: sequential power expectation propagation with 80 nodes of Gauss-Hermite quadrature in the cavity.
One dimension: the variational optimum by 120 nodes, and the moments of the posterior.
"""
import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr, roots_hermite

X = np.array([-1.5, -1.1, -0.8, -0.4, -0.1, 0.2, 0.5, 0.7, 1.0, 1.3, 1.6, 2.1])
Y = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1])
ROWS = np.stack([np.ones(12), X], 1) * (2 * Y - 1)[:, None]
PRIOR_PRECISION = np.eye(2) / 4
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
LOG_PRIOR_CONSTANT = -np.log(2 * np.pi) - np.log(4)


def joint(precisions, shifts):
    covariance = np.linalg.inv(PRIOR_PRECISION + (ROWS.T * precisions) @ ROWS)
    shift = ROWS.T @ shifts
    mean = covariance @ shift
    log_integral = 0.5 * shift @ mean + np.log(2 * np.pi) + 0.5 * np.linalg.slogdet(covariance)[1]
    return mean, covariance, log_integral


def log_site_mass(cavity_mean, cavity_variance, precision, shift):
    """Log of the integral of exp(shift u - precision u^2 / 2) under the cavity."""
    variance = 1 / (1 / cavity_variance + precision)
    mean = variance * (cavity_mean / cavity_variance + shift)
    return 0.5 * (np.log(variance / cavity_variance) + mean**2 / variance - cavity_mean**2 / cavity_variance)


def probit_tilted(mean, variance, _):
    z = mean / np.sqrt(1 + variance)
    ratio = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / ndtr(z)
    return (log_ndtr(z), mean + variance * ratio / np.sqrt(1 + variance),
            variance - variance**2 * ratio * (z + ratio) / (1 + variance))


def logistic_tilted(mean, variance, power):
    u = mean + np.sqrt(variance) * NODES
    weights = WEIGHTS / np.sqrt(2 * np.pi) * np.exp(-power * np.logaddexp(0, -u))
    mass = weights.sum()
    center = (weights * u).sum() / mass
    return np.log(mass), center, (weights * (u - center) ** 2).sum() / mass


def propagate(tilted, power=1.0, sweeps=300, damping=0.5):
    precisions, shifts = np.zeros(12), np.zeros(12)
    for _ in range(sweeps):
        masses = 0.0
        for i, row in enumerate(ROWS):
            mean, covariance, _ = joint(precisions, shifts)
            variance, center = row @ covariance @ row, row @ mean
            cavity_variance = 1 / (1 / variance - power * precisions[i])
            cavity_mean = cavity_variance * (center / variance - power * shifts[i])
            log_mass, new_mean, new_variance = tilted(cavity_mean, cavity_variance, power)
            masses += (log_mass - log_site_mass(cavity_mean, cavity_variance, power * precisions[i],
                                                power * shifts[i])) / power
            precisions[i] += damping * (1 / new_variance - 1 / variance) / power
            shifts[i] += damping * (new_mean / new_variance - center / variance) / power
    mean, covariance, log_integral = joint(precisions, shifts)
    return mean, covariance, LOG_PRIOR_CONSTANT + log_integral + masses


def probit_posterior():
    grid = np.linspace(-6, 6, 601)
    a, b = np.meshgrid(grid, grid, indexing="ij")
    log_density = LOG_PRIOR_CONSTANT - (a**2 + b**2) / 8 + sum(log_ndtr(row[0] * a + row[1] * b) for row in ROWS)
    weights = np.exp(log_density) * (grid[1] - grid[0]) ** 2
    mass = weights.sum()
    weights /= mass
    m, n = (weights * a).sum(), (weights * b).sum()
    moments = [(weights * (p - r) * (q - s)).sum() for p, r, q, s in ((a, m, a, m), (a, m, b, n), (b, n, b, n))]
    return (m, n), moments, np.log(mass)


def one_dimension(u):
    return -np.logaddexp(0, -(2 * u + 1)) - np.logaddexp(0, -(0.5 - u)) + 3 * u - np.exp(u) - u * u / 4.5


def variational_optimum():
    nodes, weights = roots_hermite(120)

    def loss(at):
        mean, log_sd = at
        u = mean + np.sqrt(2) * np.exp(log_sd) * nodes
        return -(weights @ one_dimension(u) / np.sqrt(np.pi) + log_sd + 0.5 * np.log(2 * np.pi * np.e))

    found = minimize(loss, [0.5, -1], method="Nelder-Mead", options={"xatol": 1e-13, "fatol": 1e-15, "maxiter": 10000})
    found = minimize(loss, found.x, method="BFGS", options={"gtol": 1e-12})
    return found.x[0], np.exp(found.x[1]), -found.fun


def one_dimension_moments():
    grid = np.linspace(-8, 6, 20001)
    weights = np.exp(one_dimension(grid)) * (grid[1] - grid[0])
    mass = weights.sum()
    mean = (weights * grid).sum() / mass
    return mean, np.sqrt((weights * (grid - mean) ** 2).sum() / mass), np.log(mass)


if __name__ == "__main__":
    np.set_printoptions(precision=15)
    print("probit", *propagate(probit_tilted))
    print("probit, posterior", *probit_posterior())
    for power in (1.0, 0.5, 0.1):
        print("logistic, power", power, *propagate(logistic_tilted, power))
    print("one dimension, variational", *variational_optimum())
    print("one dimension, posterior", *one_dimension_moments())
