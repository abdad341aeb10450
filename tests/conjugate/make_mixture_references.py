#!/usr/bin/env python3
"""Reference values of the Gaussian mixture from scikit-learn's BayesianGaussianMixture.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scikit-learn        (1.9.1)
    /tmp/venv/bin/python tests/conjugate/make_mixture_references.py            (writes tests/conjugate/data/*.inc)

Twelve rows of two columns, responsibilities of three components, one M step from them and, where the E step of scikit-learn is
that of the model (full covariances), one more E and M step, with the lower bound after each. reg_covar is 0.
"""
import pathlib

import numpy as np
from sklearn.mixture import BayesianGaussianMixture

HERE = pathlib.Path(__file__).parent
ROWS, COLUMNS, COMPONENTS = 12, 2, 3


def data():
    n = np.arange(ROWS)
    x = np.stack([np.sin(1.3 * n) + 2.0 * (n % 3), np.cos(0.7 * n * n) - 1.5 * (n % 3)], axis=1)
    responsibilities = 1.0 + np.stack([(n * (k + 2) + k) % 7 for k in range(COMPONENTS)], axis=1)
    return x, responsibilities / responsibilities.sum(axis=1, keepdims=True)


def mixture(covariance, weights, x):
    name = {"dirichlet": "dirichlet_distribution", "dp": "dirichlet_process"}[weights]
    result = BayesianGaussianMixture(
        n_components=COMPONENTS, covariance_type=covariance, reg_covar=0.0, weight_concentration_prior_type=name,
        weight_concentration_prior=0.4, mean_precision_prior=0.8, mean_prior=np.array([0.5, -0.25]),
        degrees_of_freedom_prior=3.5, covariance_prior={"full": np.diag([1.5, 0.75]), "tied": np.diag([1.5, 0.75]),
                                                        "diag": np.array([1.5, 0.75]), "spherical": 1.25}[covariance])
    result._check_parameters(x)
    return result


def numbers(values):
    return ", ".join(repr(float(v)) for v in np.ravel(values))


def main():
    x, responsibilities = data()
    lines = ["// Made by tests/conjugate/make_mixture_references.py. Do not edit."]
    for covariance in ("full", "tied", "diag", "spherical"):
        for weights in ("dirichlet", "dp"):
            model = mixture(covariance, weights, x)
            log_resp = np.log(responsibilities)
            model._m_step(x, log_resp)
            first = np.sum(model._compute_lower_bound(log_resp, 0.0))
            second = 0.0
            means, covariances = model.means_.copy(), model.covariances_.copy()
            if covariance == "full":
                _, log_resp = model._e_step(x)
                model._m_step(x, log_resp)
                second = np.sum(model._compute_lower_bound(log_resp, 0.0))
                means, covariances = np.vstack([means, model.means_]), np.vstack([covariances, model.covariances_])
            model._set_parameters(model._get_parameters())
            name = {"diag": "diagonal"}.get(covariance, covariance)
            lines.append(f'{{"{name}", "{weights}", {float(first)!r}, {float(second)!r},\n'
                         f' {{{numbers(model.weights_)}}},\n {{{numbers(means)}}},\n {{{numbers(covariances)}}}}},')
    target = HERE / "data" / "mixture_references.inc"
    target.parent.mkdir(exist_ok=True)
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
