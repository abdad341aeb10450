#!/usr/bin/env python3
"""Writes tests/math/data/continuous.inc: values and partial derivatives of continuous distributions, from their
definitions with 50 digits (mpmath). Run where mpmath is installed; the rows are committed.

A family is: a log density, a pair (lower tail, upper tail), and points (variate, parameters...). Tails are
computed each on its own, never as 1 - the other. Partials are numerical derivatives at 50 digits.
"""

import pathlib
import sys

import mpmath as mp
from mpmath import mpf, log, exp, sqrt, pi, loggamma

mp.mp.dps = 50


def phi(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def lower_normal(z):
    return mp.erfc(-z / sqrt(2)) / 2


def gamma_lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_lower(a, b, x):
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_series(b, a, 1 - x)
    return beta_series(a, b, x)


def beta_series(a, b, x):
    return x**a * (1 - x) ** b / (a * mp.beta(a, b)) * mp.hyp2f1(a + b, 1, a + 1, x)


def log_beta(a, b):
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def location_scale(log_density, lower, upper):
    def density(y, mu, sigma):
        return log_density((y - mu) / sigma) - log(sigma)

    return density, (lambda y, mu, s: lower((y - mu) / s), lambda y, mu, s: upper((y - mu) / s))


def student_density(y, nu, mu, sigma):
    z = (y - mu) / sigma
    return (
        loggamma((nu + 1) / 2) - loggamma(nu / 2) - log(nu * pi) / 2 - log(sigma) - (nu + 1) / 2 * log(1 + z * z / nu)
    )


def student_lower(y, nu, mu, sigma):
    z = (y - mu) / sigma
    half = beta_lower(nu / 2, mpf(1) / 2, nu / (nu + z * z)) / 2
    return half if z < 0 else 1 - half


def student_upper(y, nu, mu, sigma):
    return student_lower(2 * mu - y, nu, mu, sigma)


def exp_mod_lower(y, mu, s, lam):
    u, v = (y - mu) / s, lam * s
    return lower_normal(u) - exp(v * v / 2 - u * v) * lower_normal(u - v)


def exp_mod_upper(y, mu, s, lam):
    u, v = (y - mu) / s, lam * s
    return lower_normal(-u) + exp(v * v / 2 - u * v) * lower_normal(u - v)


def skew_lower_z(z, alpha):
    """Owen (1956): Phi(z) - 2 T(z, alpha), as one integral of positive terms."""

    def f(x):
        return exp(-z * z * (1 + x * x) / 2) / (1 + x * x)

    if alpha < 0:
        return lower_normal(z) + (mp.quad(f, mp.linspace(alpha, 0, 20)) / pi)
    scale = 1 / (z * z * (alpha + 1) + abs(z))
    points = [alpha + scale * k for k in (0, 1, 2, 4, 8, 16, 32, 64, 128, 300)]
    return mp.quad(f, points) / pi + (mp.erf(z / sqrt(2)) if z > 0 else 0)


def skew_double_lower(y, mu, s, tau):
    z = (y - mu) / s
    return tau * exp(2 * (1 - tau) * z) if z < 0 else 1 - (1 - tau) * exp(-2 * tau * z)


def skew_double_upper(y, mu, s, tau):
    return skew_double_lower(2 * mu - y, mu, s, 1 - tau)


def von_mises_arc(a, b, mu, kappa):
    def f(t):
        return exp(kappa * (mp.cos(t - mu) - 1))

    n = 24
    points = [a + (b - a) * i / n for i in range(n + 1)]
    return mp.quad(f, points) / (2 * pi * mp.besseli(0, kappa) * exp(-kappa))


def gamma_tails(shape, rate_argument, flip):
    lower = lambda *x: gamma_lower(shape(*x), rate_argument(*x))
    upper = lambda *x: gamma_upper(shape(*x), rate_argument(*x))
    return (upper, lower) if flip else (lower, upper)


FAMILIES = {}


def family(name, density, tails, points, functions=("lpdf", "lcdf", "lccdf")):
    FAMILIES[name] = (density, tails, points, functions)


LOCATION_SCALE_POINTS = [
    (0.5, 0, 1), (-1.25, 0.5, 2), (3, 1, 0.25), (-8, 0, 1), (9.5, 0, 1), (-45, 1, 1.5), (60, -1, 2), (1e-3, 0, 100)
]

normal_density, normal_tails = location_scale(
    lambda z: -z * z / 2 - log(2 * pi) / 2, lower_normal, lambda z: lower_normal(-z))
family("normal", normal_density, normal_tails, LOCATION_SCALE_POINTS + [(-200, 3, 2.5)])
family("std_normal", lambda y: normal_density(y, mpf(0), mpf(1)), (lower_normal, lambda y: lower_normal(-y)),
       [(0,), (1.5,), (-2.5,), (-5.0001,), (-4.999,), (6,), (-38,), (40,), (-1000,)])
family("lognormal", lambda y, mu, s: normal_density(log(y), mu, s) - log(y),
       (lambda y, mu, s: normal_tails[0](log(y), mu, s), lambda y, mu, s: normal_tails[1](log(y), mu, s)),
       [(1, 0, 1), (0.3, -0.5, 0.7), (12, 1, 2), (1e-10, 0, 1), (1e20, 2, 1.5), (1e-300, 0, 3)])
d, t = location_scale(lambda z: -log(1 + z * z) - log(pi), lambda z: mp.atan2(1, -z) / pi, lambda z: mp.atan2(1, z) / pi)
family("cauchy", d, t, LOCATION_SCALE_POINTS + [(-1e12, 0, 1), (1e9, 2, 3)])
d, t = location_scale(lambda z: -abs(z) - log(2), lambda z: exp(z) / 2 if z < 0 else 1 - exp(-z) / 2,
                      lambda z: exp(-z) / 2 if z > 0 else 1 - exp(z) / 2)
family("double_exponential", d, t, LOCATION_SCALE_POINTS + [(-900, 0, 1)])
d, t = location_scale(lambda z: -z - 2 * log(1 + exp(-z)), lambda z: 1 / (1 + exp(-z)), lambda z: 1 / (1 + exp(z)))
family("logistic", d, t, LOCATION_SCALE_POINTS + [(-900, 0, 1), (800, 1, 1)])
d, t = location_scale(lambda z: -z - exp(-z), lambda z: exp(-exp(-z)), lambda z: -mp.expm1(-exp(-z)))
family("gumbel", d, t, [(0.5, 0, 1), (-1.25, 0.5, 2), (3, 1, 0.25), (-5, 0, 1), (50, -1, 1), (800, 0, 1)])
family("student_t", student_density, (student_lower, student_upper),
       [(0.5, 3, 0, 1), (-1.25, 1, 0.5, 2), (3, 0.3, 1, 0.25), (-8, 30, 0, 1), (9.5, 5, 0, 1), (-1e5, 4, 1, 1.5),
        (2, 1e6, 1, 1), (-30, 200, 0, 1), (0.01, 7, 0, 1), (1e8, 2.5, 0, 1)])
family("exponential", lambda y, b: log(b) - b * y, (lambda y, b: -mp.expm1(-b * y), lambda y, b: exp(-b * y)),
       [(0.5, 1), (2, 0.3), (1e-12, 2), (700, 3), (10, 1e-5), (0.1, 50)])
GAMMA_POINTS = [(0.5, 1, 1), (2, 3.5, 0.7), (1e-8, 0.3, 2), (40, 2, 3), (12, 100, 10), (1e-3, 0.01, 1), (300, 5, 4),
                (1e-5, 30, 1), (98, 10000, 100), (2000, 0.5, 1), (1.7, 2, 1), (0.02, 0.002, 1)]
family("gamma", lambda y, a, b: a * log(b) - loggamma(a) + (a - 1) * log(y) - b * y,
       gamma_tails(lambda y, a, b: a, lambda y, a, b: b * y, False), GAMMA_POINTS)
family("inv_gamma", lambda y, a, b: a * log(b) - loggamma(a) - (a + 1) * log(y) - b / y,
       gamma_tails(lambda y, a, b: a, lambda y, a, b: b / y, True),
       [(0.5, 1, 1), (2, 3.5, 0.7), (1e-3, 0.3, 2), (40, 2, 3), (12, 100, 1000), (1e5, 3, 1), (0.01, 5, 4)])
family("chi_square", lambda y, n: (n / 2 - 1) * log(y) - y / 2 - n / 2 * log(2) - loggamma(n / 2),
       gamma_tails(lambda y, n: n / 2, lambda y, n: y / 2, False),
       [(0.5, 1), (3, 2), (1e-6, 5), (80, 3), (900, 1000), (3000, 10), (7, 7.5)])
family("inv_chi_square", lambda y, n: -(n / 2 + 1) * log(y) - 1 / (2 * y) - n / 2 * log(2) - loggamma(n / 2),
       gamma_tails(lambda y, n: n / 2, lambda y, n: 1 / (2 * y), True),
       [(0.5, 1), (3, 2), (1e-3, 5), (80, 3), (0.001, 900), (0.1, 7.5)])
family("scaled_inv_chi_square",
       lambda y, n, s: n / 2 * log(n / 2) - loggamma(n / 2) + n * log(s) - (n / 2 + 1) * log(y) - n * s * s / (2 * y),
       gamma_tails(lambda y, n, s: n / 2, lambda y, n, s: n * s * s / (2 * y), True),
       [(0.5, 1, 1), (3, 2, 0.5), (1e-2, 5, 1), (80, 3, 2), (1.1, 900, 1), (20, 7.5, 4)])
family("weibull", lambda y, a, s: log(a) + (a - 1) * log(y) - a * log(s) - (y / s) ** a,
       (lambda y, a, s: -mp.expm1(-((y / s) ** a)), lambda y, a, s: exp(-((y / s) ** a))),
       [(0.5, 1, 1), (2, 3.5, 0.7), (1e-12, 0.3, 2), (40, 2, 3), (0.1, 20, 1), (1e-30, 15, 1), (9, 0.5, 2)])
family("frechet", lambda y, a, s: log(a) - (a + 1) * log(y) + a * log(s) - (s / y) ** a,
       (lambda y, a, s: exp(-((s / y) ** a)), lambda y, a, s: -mp.expm1(-((s / y) ** a))),
       [(0.5, 1, 1), (2, 3.5, 0.7), (1e-2, 0.3, 2), (40, 2, 3), (1e30, 15, 1), (0.3, 4, 1), (1e6, 0.5, 2)])
family("rayleigh", lambda y, s: log(y) - 2 * log(s) - y * y / (2 * s * s),
       (lambda y, s: -mp.expm1(-(y * y) / (2 * s * s)), lambda y, s: exp(-(y * y) / (2 * s * s))),
       [(0.5, 1), (2, 3.5), (1e-12, 0.3), (40, 2), (1e-200, 1), (9, 0.5)])
family("pareto", lambda y, m, a: log(a) + a * log(m) - (a + 1) * log(y),
       (lambda y, m, a: -mp.expm1(a * log(m / y)), lambda y, m, a: (m / y) ** a),
       [(1.5, 1, 2), (3, 0.5, 3.5), (1.0001, 1, 2), (1e50, 2, 20), (2, 1, 1e-4), (1e6, 0.01, 0.3)])
family("pareto_type_2", lambda y, mu, l, a: log(a) - log(l) - (a + 1) * log(1 + (y - mu) / l),
       (lambda y, mu, l, a: -mp.expm1(-a * log(1 + (y - mu) / l)), lambda y, mu, l, a: (1 + (y - mu) / l) ** (-a)),
       [(1.5, 0, 1, 2), (3, 0.5, 2, 3.5), (1e-6, 0, 3, 2), (1e10, 2, 1, 20), (2, -1, 1, 1e-4), (1e6, 10, 0.3, 0.5)])
BETA_POINTS = [(0.3, 2, 3), (0.9, 0.5, 0.5), (1e-6, 3, 2), (0.999, 5, 40), (0.5, 300, 310), (0.01, 0.01, 0.02),
               (0.2, 50, 3), (1e-100, 4, 2), (0.75, 1, 1), (0.35, 1000, 2000), (0.6, 0.1, 20)]
beta_tails = (lambda y, a, b: beta_lower(a, b, y), lambda y, a, b: beta_lower(b, a, 1 - y))
beta_density = lambda y, a, b: (a - 1) * log(y) + (b - 1) * log(1 - y) - log_beta(a, b)
family("beta", beta_density, beta_tails, BETA_POINTS)
family("beta_proportion", lambda y, m, k: beta_density(y, m * k, (1 - m) * k),
       tuple((lambda f: lambda y, m, k: f(y, m * k, (1 - m) * k))(f) for f in beta_tails),
       [(0.3, 0.4, 5), (0.9, 0.5, 1), (1e-6, 0.6, 5), (0.99, 0.1, 45), (0.5, 0.49, 600), (0.02, 0.9, 3)])
family("uniform", lambda y, a, b: -log(b - a) + 0 * y,
       (lambda y, a, b: (y - a) / (b - a), lambda y, a, b: (b - y) / (b - a)),
       [(0.5, 0, 1), (1e-9, 0, 3), (2.5, -1, 2.75), (-7, -8, 100), (99.5, 0, 100)])
family("exp_mod_normal",
       lambda y, mu, s, l: log(l) + l * (mu - y) + (l * s) ** 2 / 2 + log(lower_normal((y - mu) / s - l * s)),
       (exp_mod_lower, exp_mod_upper),
       [(0.5, 0, 1, 1), (-1.25, 0.5, 2, 0.3), (3, 1, 0.25, 4), (-8, 0, 1, 0.01), (30, 0, 1, 0.5), (1, 0, 2, 300),
        (-30, 1, 1, 1e-4), (500, 0, 1, 1e-5), (7, 0, 1, 0.01), (2, 0, 1, 1e-3), (-6, 0, 3, 1000), (-0.7, 0, 1, 0.2)])
family("skew_normal",
       lambda y, mu, s, a: log(2 * lower_normal(a * (y - mu) / s)) - ((y - mu) / s) ** 2 / 2 - log(s) - log(2 * pi) / 2,
       (lambda y, mu, s, a: skew_lower_z((y - mu) / s, a), lambda y, mu, s, a: skew_lower_z(-(y - mu) / s, -a)),
       [(0.5, 0, 1, 1), (-1.25, 0.5, 2, -2), (3, 1, 0.75, 4), (-6, 0, 1, 0.5), (5, 0, 1, -3), (-1, 0, 1, 20),
        (0.2, 0, 1, 0), (-0.1, 0.5, 2, 6)])
family("skew_double_exponential",
       lambda y, mu, s, tau: log(2) + log(tau) + log(1 - tau) - log(s)
       - 2 * ((1 - tau) * (mu - y) if y < mu else tau * (y - mu)) / s,
       (skew_double_lower, skew_double_upper),
       [(0.5, 0, 1, 0.5), (-1.25, 0.5, 2, 0.1), (3, 1, 0.25, 0.9), (-800, 0, 1, 0.3), (60, -1, 2, 0.7)])
family("von_mises", lambda y, mu, k: k * mp.cos(y - mu) - log(2 * pi * mp.besseli(0, k)),
       (lambda y, mu, k: von_mises_arc(-pi, y, mu, k), lambda y, mu, k: von_mises_arc(y, pi, mu, k)),
       [(0.5, 0, 1), (-1.25, 0.5, 2), (3, 1, 0.25), (-2, 0.3, 20), (1, -2.5, 29.9), (0.1, 0, 60), (-3, 2.9, 5),
        (0.5, 7, 3)])
family("loglogistic",
       lambda y, a, b: log(b) - log(a) + (b - 1) * (log(y) - log(a)) - 2 * log(1 + (y / a) ** b),
       (lambda y, a, b: 1 / (1 + (a / y) ** b), None),
       [(0.5, 1, 1), (2, 3.5, 0.7), (1e-12, 0.3, 2), (40, 2, 30), (0.1, 20, 10), (1e8, 1, 3)], ("lpdf", "lcdf"))


def wiener(y, alpha, tau, beta, delta):
    w, x = 1 - beta, (y - tau) / alpha**2
    f = sum((w + 2 * k) * exp(-((w + 2 * k) ** 2) / (2 * x)) for k in range(-60, 61)) / sqrt(2 * pi * x**3)
    return delta * alpha * w - delta**2 * (y - tau) / 2 - 2 * log(alpha) + log(f)


family("wiener", wiener, (None, None),
       [(0.7, 1.5, 0.3, 0.5, 0.4), (1.2, 2, 0.2, 0.3, -1), (0.31, 1, 0.3, 0.7, 2), (0.301, 1, 0.3, 0.4, 1),
        (3, 1, 0.1, 0.2, -0.5), (0.8, 1, 0.3, 0.6, 0), (9, 1.7, 0.5, 0.9, 0.1)], ("lpdf",))


def text(x):
    if abs(x) < mpf(10) ** -307:
        return "0.0"
    return mp.nstr(x, 20, min_fixed=0, max_fixed=0)


def rows(name):
    density, tails, points, functions = FAMILIES[name]

    def log_tail(own, other):
        def f(*x):
            rest = other(*x) if other is not None else 1
            return mp.log1p(-rest) if rest < 0.5 else log(own(*x))

        return f

    calls = {"lpdf": density, "lcdf": log_tail(*tails), "lccdf": log_tail(*reversed(tails))}
    for function in functions:
        f = calls[function]
        for point in points:
            x = [mpf(float(value)) for value in point]
            with mp.workdps(80):
                value = f(*x)
                partials = []
                for j in range(len(x)):
                    if name == "uniform" and function == "lpdf" and j == 0:
                        partials.append(mpf(0))
                        continue
                    order = tuple(1 if k == j else 0 for k in range(len(x)))
                    step = mpf(10) ** -25 * max(abs(x[j]), mpf(10) ** -3)
                    if x[j] != 0:
                        step = min(step, abs(x[j]) * mpf(10) ** -20)
                    high, low = list(x), list(x)
                    high[j] += step
                    low[j] -= step
                    partial = (f(*high) - f(*low)) / (2 * step)
                    is_noise = abs(partial * max(abs(x[j]), 1)) < mpf(10) ** -40 * abs(value)
                    partials.append(mpf(0) if is_noise else partial)
            arguments = ", ".join(repr(float(v)) for v in x)
            yield '{"%s", "%s", {%s}, %s, {%s}},' % (
                name, function, arguments, text(value), ", ".join(text(p) for p in partials))


def main():
    """With names: only the rows of these families are written anew."""
    path = pathlib.Path(__file__).with_name("data") / "continuous.inc"
    old = {}
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith("{"):
                old.setdefault(line.split('"')[1], []).append(line)
    names = sys.argv[1:] or list(FAMILIES)
    lines = ["// Written by tests/math/make_distribution_references.py."]
    for name in FAMILIES:
        lines += list(rows(name)) if name in names else old.get(name, [])
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
