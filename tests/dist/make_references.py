#!/usr/bin/env python3
"""Writes tests/dist/references.inc: values of densities, entropies, moments and divergences with 40 digits of mpmath.

Densities are written from their definitions; everything else is integrated or summed from them, so that no closed form
of the library is used. Needs mpmath:  python3 tests/dist/make_references.py > tests/dist/references.inc
"""
import sys

import mpmath as mp
from mpmath import mpf

mp.mp.dps = 40
INF = mp.inf


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def log_normal_pdf(x, m, s):
    return -((x - m) / s) ** 2 / 2 - mp.log(s) - mp.log(2 * mp.pi) / 2


def log_logistic_term(d):
    """log of sigmoid(d) sigmoid(-d)"""
    return -abs(d) - 2 * mp.log1p(mp.exp(-abs(d)))


def log_sigmoid(x):
    return -mp.log1p(mp.exp(-x)) if x > 0 else x - mp.log1p(mp.exp(x))


# Family -> (log density of x, points that cut the support into pieces for integration)
CONTINUOUS = {
    "Normal": (log_normal_pdf, lambda m, s: [-INF, m - 5 * s, m, m + 5 * s, INF]),
    "LogNormal": (lambda x, m, s: log_normal_pdf(mp.log(x), m, s) - mp.log(x),
                  lambda m, s: [0] + [mp.exp(m + k * s) for k in range(-12, 13, 3)] + [mp.exp(m + 40 * s)]),
    "HalfNormal": (lambda x, s: mp.log(2) + log_normal_pdf(x, 0, s), lambda s: [0, s, 4 * s, INF]),
    "Laplace": (lambda x, m, s: -abs(x - m) / s - mp.log(2 * s), lambda m, s: [-INF, m - 9 * s, m, m + 9 * s, INF]),
    "Cauchy": (lambda x, m, s: -mp.log(mp.pi * s) - mp.log1p(((x - m) / s) ** 2), lambda m, s: [-INF, m - s, m, m + s, INF]),
    "HalfCauchy": (lambda x, s: mp.log(2) - mp.log(mp.pi * s) - mp.log1p((x / s) ** 2), lambda s: [0, s, 9 * s, INF]),
    "Gumbel": (lambda x, m, s: -(x - m) / s - mp.exp(-(x - m) / s) - mp.log(s),
               lambda m, s: [m - 6 * s, m - 3 * s, m, m + 3 * s, m + 9 * s, m + 30 * s, m + 120 * s]),
    "Uniform": (lambda x, low, high: -mp.log(high - low), lambda low, high: [low, high]),
    "Exponential": (lambda x, rate: mp.log(rate) - rate * x, lambda rate: [0, 1 / rate, 9 / rate, INF]),
    "StudentT": (lambda x, df, m, s: mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2) - mp.log(mp.pi * df) / 2 - mp.log(s)
                 - (df + 1) / 2 * mp.log1p(((x - m) / s) ** 2 / df),
                 lambda df, m, s: [-INF, m - 20 * s, m - 4 * s, m, m + 4 * s, m + 20 * s, INF]),
    "Gamma": (lambda x, a, b: a * mp.log(b) + (a - 1) * mp.log(x) - b * x - mp.loggamma(a),
              lambda a, b: [0] + [max(a - k * mp.sqrt(a), 0) / b for k in (30, 8) if a > k * k] + [a / b]
              + [(a + k * (mp.sqrt(a) + 1)) / b for k in (8, 40)] + [(a + 120 * (mp.sqrt(a) + 1)) / b]),
    "Beta": (lambda x, a, b: (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - log_beta(a, b),
             lambda a, b: [0, a / (a + b) / 9, a / (a + b), 1 - b / (a + b) / 9, 1]),
    "VonMises": (lambda x, m, k: k * mp.cos(x - m) - mp.log(2 * mp.pi) - mp.log(mp.besseli(0, k)),
                 lambda m, k: [m - mp.pi] + [m + j * min(1 / mp.sqrt(k + mpf(1) / 4), mpf(1) / 8) for j in (-20, -5, 0, 5, 20)]
                 + [m + mp.pi]),
}

DISCRETE = {
    "Bernoulli": lambda k, p: k * mp.log(p) if k else mp.log1p(-p),
    "BernoulliLogits": lambda k, l: log_sigmoid(l if k else -l),
    "Poisson": lambda k, r: k * mp.log(r) - r - mp.loggamma(k + 1),
    "NegativeBinomial": lambda k, r, p: (r * mp.log1p(-p) + k * mp.log(p) + mp.loggamma(r + k) - mp.loggamma(k + 1)
                                         - mp.loggamma(r)),
    "NegativeBinomialLogits": lambda k, r, l: (r * log_sigmoid(-l) + k * log_sigmoid(l) + mp.loggamma(r + k)
                                               - mp.loggamma(k + 1) - mp.loggamma(r)),
}


def number(x):
    if x == INF:
        return "INFINITY"
    return mp.nstr(mpf(x), 20, strip_zeros=True)


def braced(values):
    return "{" + ", ".join(number(v) for v in values) + "}"


def row(family, parameters, what, argument, expected, tolerance=1e-12):
    print(f'{{"{family}", {braced(parameters)}, "{what}", {braced(argument)}, {number(expected)}, {tolerance:g}}},')


def exact(values):
    """The numbers that doubles are, so that rounding of decimal fractions does not count."""
    return [mpf(float(v)) for v in values]


def integral(f, points):
    points = sorted(set(p for p in points))
    return mp.quad(f, points, maxdegree=10)


def log_probs(family, parameters, points, tolerance=1e-12):
    parameters, points = exact(parameters), exact(points)
    density = CONTINUOUS[family][0] if family in CONTINUOUS else DISCRETE[family]
    for x in points:
        row(family, parameters, "log_prob", [x], density(x, *parameters), tolerance)


def integrals(family, parameters, what=("entropy", "mean", "variance"), tolerance=1e-11):
    parameters = exact(parameters)
    density, cut = CONTINUOUS[family]
    points = cut(*parameters)
    p = lambda x: mp.exp(density(x, *parameters))
    if "entropy" in what:
        row(family, parameters, "entropy", [], integral(lambda x: -p(x) * density(x, *parameters) if p(x) else mpf(0), points), tolerance)
    if "mean" in what or "variance" in what:
        mean = integral(lambda x: x * p(x), points)
        if "mean" in what:
            row(family, parameters, "mean", [], mean, tolerance)
        if "variance" in what:
            row(family, parameters, "variance", [], integral(lambda x: (x - mean) ** 2 * p(x), points), tolerance)


def cdfs(family, parameters, values, tolerance=1e-12):
    parameters, values = exact(parameters), exact(values)
    density, cut = CONTINUOUS[family]
    points = cut(*parameters)
    for x in values:
        below = [c for c in points if c < x] + [x]
        if below[0] == -INF:  # an exponential tail is integrated near its end
            below = [-INF] + [below[1] - mpf(10) ** k for k in range(8, -3, -1)] + below[1:]
        # Relative to the density at x: the quadrature stops at an absolute error.
        at_x = density(x, *parameters)
        ratio = integral(lambda t: mp.exp(density(t, *parameters) - at_x), below)
        row(family, parameters, "cdf", [x], ratio * mp.exp(at_x), tolerance)


def kl(p, p_parameters, q, q_parameters, tolerance=1e-11):
    p_parameters, q_parameters = exact(p_parameters), exact(q_parameters)
    log_p, cut = CONTINUOUS[p]
    log_q = CONTINUOUS[q][0]

    def integrand(x):
        lp = log_p(x, *p_parameters)
        return mp.exp(lp) * (lp - log_q(x, *q_parameters)) if lp > -2000 else mpf(0)

    points = cut(*p_parameters)
    if q == "Laplace":
        points = points + [q_parameters[0]]
    print(f'{{"{p}", {braced(p_parameters)}, "{q}", {braced(q_parameters)}, '
          f'{number(integral(integrand, points))}, {tolerance:g}}},')


def sums(family, parameters, upper, what, tolerance=1e-11):
    parameters = exact(parameters)
    log_p = DISCRETE[family]
    terms = [(k, log_p(k, *parameters)) for k in range(upper)]
    mean = sum(k * mp.exp(t) for k, t in terms)
    values = {"mean": mean, "variance": sum((k - mean) ** 2 * mp.exp(t) for k, t in terms),
              "entropy": -sum(t * mp.exp(t) for _, t in terms)}
    for name in what:
        row(family, parameters, name, [], values[name], tolerance)


def univariate():
    log_probs("Normal", (0.5, 2), (0.5, -3, 60, -1e8))
    log_probs("Normal", (-1e3, 1e-3), (-1e3, -999.99))
    log_probs("LogNormal", (0.3, 0.8), (1e-20, 0.5, 1, 1e20))
    log_probs("HalfNormal", (1.5,), (0, 0.1, 30))
    log_probs("Laplace", (1, 0.5), (1, -3, 1e6))
    log_probs("Cauchy", (-2, 0.7), (-2, 5, 1e12, 1e200))
    log_probs("HalfCauchy", (3,), (0, 2, 1e200))
    log_probs("Gumbel", (1, 2), (1, -5, 100))
    log_probs("Uniform", (-1, 3), (-0.5, 2.9))
    log_probs("Exponential", (0.25,), (0, 1e-9, 300))
    for df in (0.5, 3, 30, 1e6):
        log_probs("StudentT", (df, 1, 2), (1, 1.5, -7, 300, 1e20))
    for a in (0.01, 0.5, 1, 2.5, 9.99, 10, 40, 1e3, 1e6):
        log_probs("Gamma", (a, 2), (1e-6, a / 2, a / 2 * 1.1, a / 2 * 0.7, 3 * a + 100))
    for a, b in ((0.05, 0.3), (1, 1), (2, 5), (30, 0.5), (1e3, 2e3), (1e-3, 1e4)):
        log_probs("Beta", (a, b), (1e-12, 0.2, 0.5, 0.999), 1e-11)
    log_probs("Beta", (2e6, 3e6), (0.4, 0.401), 1e-9)
    for k in (1e-3, 0.5, 4, 49.9, 50.1, 200, 1e4):
        log_probs("VonMises", (0.3, k), (0.3, 0.31, -1, 3.1))
    log_probs("Poisson", (3.5,), (0, 1, 4, 9, 10, 50))
    log_probs("Poisson", (1e-9,), (0, 1, 3))
    log_probs("Poisson", (1e6,), (0, 998000, 1000000, 1003000))
    for p in (1e-12, 0.3, 0.999):
        log_probs("Bernoulli", (p,), (0, 1))
    for l in (-100, -5, 0, 0.4, 36, 100):
        log_probs("BernoulliLogits", (l,), (0, 1))
    for r, p in ((3, 0.4), (0.2, 0.9), (1e5, 1e-4), (2.5, 1e-10)):
        log_probs("NegativeBinomial", (r, p), (0, 1, 7, 1000), 1e-11)
    log_probs("NegativeBinomial", (1e6, 0.5), (1000000, 1002000), 1e-9)
    log_probs("NegativeBinomialLogits", (4, -3), (0, 2, 30))

    integrals("Normal", (0.5, 2))
    integrals("LogNormal", (0.3, 0.8))
    integrals("HalfNormal", (1.5,))
    integrals("Laplace", (1, 0.5))
    integrals("Cauchy", (-2, 0.7), ("entropy",))
    integrals("HalfCauchy", (3,), ("entropy",))
    integrals("Gumbel", (1, 2))
    integrals("Uniform", (-1, 3))
    integrals("Exponential", (0.25,))
    integrals("StudentT", (5.5, 1, 2))
    integrals("StudentT", (0.7, 1, 2), ("entropy",))
    integrals("StudentT", (1e6, 1, 2))
    for a in (0.6, 2.5, 9.9, 10.1, 500):
        integrals("Gamma", (a, 2))
    for a, b in ((0.6, 1.3), (2, 5), (300, 200)):
        integrals("Beta", (a, b))
    for k in (1e-3, 0.5, 4, 49.9, 50.1, 1e4):
        integrals("VonMises", (0.3, k), ("entropy",))
        k = mpf(float(k))
        row("VonMises", [mpf(0.3), k], "variance", [], 1 - mp.besseli(1, k) / mp.besseli(0, k), 1e-11)
    sums("Poisson", (3.5,), 120, ("mean", "variance"))
    sums("NegativeBinomial", (3, 0.4), 300, ("mean", "variance"))
    for p in (1e-12, 0.3):
        sums("Bernoulli", (p,), 2, ("mean", "variance", "entropy"))
    for l in (-100, 0.4, 40):
        sums("BernoulliLogits", (l,), 2, ("mean", "variance", "entropy"))

    cdf_rows()


def cdf_rows():
    cdfs("Normal", (0.5, 2), (-60, -1, 0.5, 4))
    cdfs("LogNormal", (0.3, 0.8), (0.01, 1, 5))
    cdfs("HalfNormal", (1.5,), (0.01, 1, 5))
    cdfs("Laplace", (1, 0.5), (-40, 0.5, 1, 3))
    cdfs("Cauchy", (-2, 0.7), (-1e8, -3, 0, 100))
    cdfs("HalfCauchy", (3,), (1e-3, 2, 50))
    cdfs("Gumbel", (1, 2), (-5, 1, 10))
    cdfs("Uniform", (-1, 3), (-0.5, 2.5))
    cdfs("Exponential", (0.25,), (1e-9, 1, 50))
    cdfs("Gamma", (2.5, 2), (0.01, 1, 4), 1e-11)


def vector_rows():
    a = exact((0.7, 2, 5.5))
    x = exact((0.2, 0.3)) + [mpf(float(0.5))]
    log_norm = mp.loggamma(sum(a)) - sum(mp.loggamma(v) for v in a)
    row("Dirichlet", a, "log_prob", x, log_norm + sum((v - 1) * mp.log(t) for v, t in zip(a, x)))
    # Marginals are beta distributed: the entropy is the mean of -log p.
    e_log = [mp.digamma(v) - mp.digamma(sum(a)) for v in a]
    row("Dirichlet", a, "entropy", [], -log_norm - sum((v - 1) * e for v, e in zip(a, e_log)))

    logits = exact((0.3, -60, 2, 1))
    total = mp.log(sum(mp.exp(l) for l in logits))
    for k in range(4):
        row("Categorical", logits, "log_prob", [k], logits[k] - total)
    row("Categorical", logits, "entropy", [], -sum(mp.exp(l - total) * (l - total) for l in logits))

    t = mpf(0.5)
    for l, y in ((mpf(0.75), mpf(-3)), (mpf(-40), mpf(2))):
        row("LogitRelaxedBernoulli", [t, l], "log_prob", [y], mp.log(t) + log_logistic_term(l - t * y))
    # Concrete density (Maddison et al. 2017, eq. 10), at a point of the simplex.
    l, x = exact((0.3, -1, 0.5)), exact((0.25, 0.125, 0.625))
    n = 3
    value = (mp.loggamma(n) + (n - 1) * mp.log(t) + sum(l[k] - (t + 1) * mp.log(x[k]) for k in range(n))
             - n * mp.log(sum(mp.exp(l[k]) * x[k] ** (-t) for k in range(n))))
    row("RelaxedOneHotCategorical", [t] + l, "log_prob", x, value)


def mp_matrix(values, rows):
    columns = len(values) // rows
    return mp.matrix([[values[i * columns + j] for j in range(columns)] for i in range(rows)])


def log_gaussian(deviation, covariance):
    solved = mp.lu_solve(covariance, deviation)
    distance = sum(deviation[i] * solved[i] for i in range(len(deviation)))
    return -(distance + mp.log(mp.det(covariance)) + len(deviation) * mp.log(2 * mp.pi)) / 2


def gaussian_rows():
    m, lower, x = exact((0.5, -1, 2)), exact((1.5, 0, 0, -0.4, 0.8, 0, 0.3, 2, 0.1)), exact((1, -0.5, 4))
    L = mp_matrix(lower, 3)
    covariance = L * L.T
    deviation = mp.matrix([a - b for a, b in zip(x, m)])
    row("MultivariateNormal", m + lower, "log_prob", x, log_gaussian(deviation, covariance), 1e-11)
    row("MultivariateNormal", m + lower, "entropy", [], mp.log(mp.det(2 * mp.pi * mp.e * covariance)) / 2)

    w, d = exact((1, -0.5, 0.25)), exact((0.5, 0.1, 2))
    W = mp_matrix(w, 3)
    covariance = W * W.T + mp.diag(d)
    row("LowRankMultivariateNormal", m + w + d, "log_prob", x, log_gaussian(deviation, covariance), 1e-11)
    row("LowRankMultivariateNormal", m + w + d, "entropy", [], mp.log(mp.det(2 * mp.pi * mp.e * covariance)) / 2)

    # Rows stacked: the covariance is the Kronecker product of that of the rows and that of the columns.
    loc, a, b = exact((0, 1, -1, 2, 0.5, 0)), exact((1.5, 0, -0.5, 0.75)), exact((1, 0, 0, 0.5, 2, 0, -1, 0.25, 0.5))
    value = exact((1, 0.5, -2, 2.5, 1, 1))
    A, B = mp_matrix(a, 2), mp_matrix(b, 3)
    U, V = A * A.T, B * B.T
    covariance = mp.matrix(6, 6)
    for i in range(6):
        for j in range(6):
            covariance[i, j] = U[i // 3, j // 3] * V[i % 3, j % 3]
    deviation = mp.matrix([s - t for s, t in zip(value, loc)])
    row("MatrixNormal", loc + a + b, "log_prob", value, log_gaussian(deviation, covariance), 1e-11)
    row("MatrixNormal", loc + a + b, "entropy", [], mp.log(mp.det(2 * mp.pi * mp.e * covariance)) / 2)


PARAMETERS = {
    "Beta": ((2.5, 1.5), (1.2, 3)), "Cauchy": ((0.5, 1.5), (-1, 0.7)), "Exponential": ((0.7,), (1.9,)),
    "Gamma": ((2.5, 1.5), (1.2, 0.6)), "Gumbel": ((0.5, 1.5), (-0.3, 1.1)), "HalfNormal": ((1.5,), (0.8,)),
    "Laplace": ((0.5, 1.5), (-0.3, 1.1)), "LogNormal": ((0.2, 0.5), (-0.1, 0.9)), "Normal": ((0.5, 1.5), (-0.3, 1.1)),
    "StudentT": ((7, 0.5, 1.5), (4, 0, 1)), "Uniform": ((0.2, 0.9), (-0.5, 2)), "VonMises": ((0.5, 3), (-0.7, 1.25)),
}

KL_PAIRS = """Beta Beta|Cauchy Cauchy|Exponential Exponential|Gamma Gamma|Gumbel Gumbel|HalfNormal HalfNormal|Laplace Laplace
LogNormal LogNormal|Normal Normal|Uniform Uniform|VonMises VonMises|Beta Exponential|Beta Gamma|Beta Normal|Beta Uniform
Exponential Gamma|Exponential Gumbel|Exponential Normal|Gamma Exponential|Gamma Gumbel|Gamma Normal|Gumbel Normal
HalfNormal Exponential|HalfNormal Normal|Laplace Normal|LogNormal Exponential|LogNormal Gamma|LogNormal Normal|Normal Gumbel
Normal Laplace|StudentT Normal|Uniform Beta|Uniform Exponential|Uniform Gamma|Uniform Gumbel|Uniform Normal"""


def main():
    if sys.argv[1:] == ["cdf"]:  # these alone, to look at
        return cdf_rows()
    print("// Made by tests/dist/make_references.py. Family, parameters, function, argument, value, relative tolerance.")
    print("#ifdef KULLBACK_REFERENCES")
    univariate()
    vector_rows()
    gaussian_rows()
    print("#endif")
    print("// p, its parameters, q, its parameters, KL(p || q), relative tolerance.")
    print("#ifdef KULLBACK_KL_REFERENCES")
    for pair in KL_PAIRS.replace("\n", "|").split("|"):
        p, q = pair.split()
        kl(p, PARAMETERS[p][0], q, PARAMETERS[q][1], 1e-6 if p == "Cauchy" else 1e-11)
    kl("VonMises", (0.5, 1e4), "VonMises", (0.51, 2e4))
    kl("Gamma", (500, 2), "Gamma", (480, 1.9))
    print("#endif")


if __name__ == "__main__":
    main()
