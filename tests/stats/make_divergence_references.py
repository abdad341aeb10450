#!/usr/bin/env python3
"""Reference values of src/stats/divergence with 60 digits.

    python3 tests/stats/make_divergence_references.py      (needs mpmath; writes tests/stats/data/divergences.inc)

Arguments are doubles, taken exactly. Every divergence is written down from its definition, with log int p^a q^b of the
family from its textbook normaliser; KL from its textbook formula; total variation from distribution functions,
Jensen-Shannon by quadrature (22 digits), both by summation for masses. For a pair of each family on the line some values
are computed a second time by quadrature of the definition, and must agree to 1e-18, or nothing is written.
"""
import functools
import pathlib
import sys

import mpmath as mp
from mpmath import digamma, exp, inf, log, loggamma, mpf, pi, sqrt

mp.mp.dps = 60
OUT = pathlib.Path(__file__).with_name("data") / "divergences.inc"


class Normal:
    def __init__(self, mean, sd):
        self.m, self.s = mpf(mean), mpf(sd)
        self.points = [self.m + k * self.s for k in (-12, -4, -2, -1, 0, 1, 2, 4, 12)]
        self.ends = (-inf, inf)

    def log_density(self, x):
        return -((x - self.m) / self.s) ** 2 / 2 - log(self.s) - log(2 * pi) / 2

    def cdf(self, x):
        return mp.ncdf((x - self.m) / self.s)

    def kl(self, q):
        return log(q.s / self.s) + (self.s**2 + (self.m - q.m) ** 2) / (2 * q.s**2) - mpf(1) / 2

    def power(self, q, a, b):
        """log int p^a q^b"""
        s = a / self.s**2 + b / q.s**2
        if s <= 0:
            return inf
        c = (a * self.m / self.s**2 + b * q.m / q.s**2) / s
        at = -a * ((c - self.m) / self.s) ** 2 / 2 - b * ((c - q.m) / q.s) ** 2 / 2
        return at + log(2 * pi / s) / 2 - (a + b) * log(2 * pi) / 2 - a * log(self.s) - b * log(q.s)


class Gamma:
    ends = (0, inf)

    def __init__(self, shape, rate):
        self.a, self.b = mpf(shape), mpf(rate)
        m, s = self.a / self.b, sqrt(self.a) / self.b
        self.points = [m * mpf(10) ** -k for k in (12, 6, 3, 1)] + [m + k * s for k in (0, 2, 5, 15, 40)]

    def log_density(self, x):
        return self.a * log(self.b) - loggamma(self.a) + (self.a - 1) * log(x) - self.b * x

    def cdf(self, x):
        return mp.gammainc(self.a, 0, self.b * x, regularized=True)

    def kl(self, q):
        return ((self.a - q.a) * digamma(self.a) - loggamma(self.a) + loggamma(q.a) + q.a * log(self.b / q.b)
                + self.a * (q.b - self.b) / self.b)

    def power(self, q, a, b):
        shape, rate = a * (self.a - 1) + b * (q.a - 1) + 1, a * self.b + b * q.b
        if shape <= 0 or rate <= 0:
            return inf
        return (loggamma(shape) - shape * log(rate) + a * (self.a * log(self.b) - loggamma(self.a))
                + b * (q.a * log(q.b) - loggamma(q.a)))


class Exponential(Gamma):
    def __init__(self, rate):
        super().__init__(1, rate)


class Dirichlet:
    def __init__(self, *a):
        self.a = [mpf(x) for x in a]

    @staticmethod
    def log_beta(a):
        return sum(loggamma(x) for x in a) - loggamma(sum(a))

    def kl(self, q):
        total = digamma(sum(self.a))
        return (self.log_beta(q.a) - self.log_beta(self.a)
                + sum((x - y) * (digamma(x) - total) for x, y in zip(self.a, q.a)))

    def power(self, q, a, b):
        c = [a * (x - 1) + b * (y - 1) + 1 for x, y in zip(self.a, q.a)]
        if min(c) <= 0:
            return inf
        return self.log_beta(c) - a * self.log_beta(self.a) - b * self.log_beta(q.a)


class Beta(Dirichlet):
    ends = (0, 1)

    def __init__(self, a, b):
        super().__init__(a, b)
        self.points = [mpf(10) ** -k for k in (12, 6, 3)] + [mpf(k) / 10 for k in range(1, 10)] + [
            1 - mpf(10) ** -k for k in (3, 6, 12)]

    def log_density(self, x, rest=None):
        return (self.a[0] - 1) * log(x) + (self.a[1] - 1) * log(1 - x if rest is None else rest) - self.log_beta(self.a)

    def cdf(self, x):
        return mp.betainc(*self.a, 0, x, regularized=True)


class Gaussian:
    def __init__(self, mean, covariance):
        self.m = mp.matrix(mean)
        self.S = mp.matrix(covariance)

    def kl(self, q):
        d, L = q.m - self.m, q.S**-1
        product = L * self.S
        trace = sum(product[i, i] for i in range(len(self.m)))
        return (trace + (d.T * L * d)[0] - len(self.m) + log(mp.det(q.S) / mp.det(self.S))) / 2

    def power(self, q, a, b):
        Lp, Lq, n = self.S**-1, q.S**-1, len(self.m)
        L = a * Lp + b * Lq
        if min(mp.eigsy(L, eigvals_only=True)) <= 0:
            return inf
        h = a * Lp * self.m + b * Lq * q.m
        c = L**-1 * h
        at = (a * (self.m.T * Lp * self.m)[0] + b * (q.m.T * Lq * q.m)[0] - (h.T * c)[0]) / 2
        return (-at + n * log(2 * pi) / 2 * (1 - a - b) - log(mp.det(L)) / 2 - a * log(mp.det(self.S)) / 2
                - b * log(mp.det(q.S)) / 2)

    def wasserstein(self, q):
        root = self.sqrtm(self.S)
        cross = self.sqrtm(root * q.S * root)
        d = self.m - q.m
        spread = sum(self.S[i, i] + q.S[i, i] - 2 * cross[i, i] for i in range(len(d)))
        return sqrt((d.T * d)[0] + spread)

    @staticmethod
    def sqrtm(S):
        values, vectors = mp.eigsy(S)
        return vectors * mp.diag([sqrt(abs(v)) for v in values]) * vectors.T


class Masses:
    """Distributions on 0, 1, 2...: sums."""

    def kl(self, q):
        if any(x > 0 and y == 0 for x, y in self.pairs(q)):
            return inf
        return sum(x * log(x / y) for x, y in self.pairs(q) if x > 0)

    def power(self, q, a, b):
        total = mpf(0)
        for x, y in self.pairs(q):
            if (x == 0 and a < 0) or (y == 0 and b < 0):
                if (x > 0 or y > 0):
                    return inf
                continue
            if (x > 0 or a == 0) and (y > 0 or b == 0):
                total += x**a * y**b
        return log(total) if total > 0 else -inf

    def total_variation(self, q):
        return sum(abs(x - y) for x, y in self.pairs(q)) / 2

    def jensen_shannon(self, q):
        return sum((entropy(x, (x + y) / 2) + entropy(y, (x + y) / 2)) / 2 for x, y in self.pairs(q))


class Discrete(Masses):
    def __init__(self, *p):
        self.p = [mpf(x) for x in p]
        self.p = [x / sum(self.p) for x in self.p]

    def pairs(self, q):
        return list(zip(self.p, q.p))


class Poisson(Masses):
    def __init__(self, mean):
        self.mean = mpf(mean)

    @functools.cache
    def mass(self, k):
        return exp(k * log(self.mean) - self.mean - loggamma(k + 1))

    def pairs(self, q):
        last = int(max(self.mean, q.mean) + 60 * sqrt(max(self.mean, q.mean)) + 150)
        return [(self.mass(k), q.mass(k)) for k in range(last)]


def entropy(x, m):
    return x * log(x / m) if x > 0 else mpf(0)


def quadrature(p, q, f, digits=22):
    """The integral of f(p(x), q(x)); densities on (0, 1) from both ends, each in the distance to it."""
    with mp.workdps(digits):
        low, high = p.ends
        inside = sorted(x for x in set(p.points + q.points) if low < x < high)
        of = lambda *x: f(exp(p.log_density(*x)), exp(q.log_density(*x)))
        if high == inf:
            return mp.quad(of, [low, *inside, high])
        half = [0, *(x for x in inside if x < 0.5), 0.5]
        return mp.quad(of, half) + mp.quad(lambda y: of(1 - y, y), half)


def crossings(p, q):
    """Where the densities cross: sign changes on a fine grid, refined."""
    low, high = p.ends
    points = sorted(x for x in set(p.points + q.points) if low < x < high)
    grid = [a + (b - a) * k / 40 for a, b in zip(points, points[1:]) for k in range(40)]
    difference = lambda x: p.log_density(x) - q.log_density(x)
    return [mp.findroot(difference, (a, b), solver="anderson", verify=False) for a, b in zip(grid, grid[1:])
            if mp.sign(difference(a)) * mp.sign(difference(b)) < 0] + [x for x in grid if difference(x) == 0]


def renyi(p, q, a):
    if a == 1:
        return p.kl(q)
    a = mpf(a)
    return p.power(q, a, 1 - a) / (a - 1)


def alpha(p, q, a):
    if a in (0, 1):
        return p.kl(q) if a == 1 else q.kl(p)
    a = mpf(a)
    return (1 - exp(p.power(q, a, 1 - a))) / (a * (1 - a))


def beta(p, q, b):
    if b == 0:
        return p.kl(q)
    b = mpf(b)
    if isinstance(p, Discrete) and b == -1:
        return sum(x / y - log(x / y) - 1 for x, y in p.pairs(q))
    pp, pq, qq = p.power(p, 1 + b, 0), p.power(q, 1, b), q.power(q, 1 + b, 0)
    if inf in (pp, pq, qq):
        return inf
    return (exp(pp) - exp(pq)) / b - (exp(pp) - exp(qq)) / (1 + b)


def chi(p, q, n):
    return exp(p.power(q, mpf(n), 1 - mpf(n))) - 1


def hellinger(p, q, _):
    return sqrt(1 - exp(p.power(q, mpf(1) / 2, mpf(1) / 2)))


def cauchy_schwarz(p, q, _):
    both = p.power(p, 2, 0), q.power(q, 2, 0)
    return inf if inf in both else sum(both) / 2 - p.power(q, 1, 1)


def total_variation(p, q, _):
    if isinstance(p, Masses):
        return p.total_variation(q)
    below = [0, *(p.cdf(x) - q.cdf(x) for x in crossings(p, q)), 0]
    return sum(abs(x - y) for x, y in zip(below, below[1:])) / 2


def jensen_shannon(p, q, _):
    if isinstance(p, Masses):
        return p.jensen_shannon(q)
    return quadrature(p, q, lambda x, y: entropy(x, (x + y) / 2) + entropy(y, (x + y) / 2)) / 2


def wasserstein(p, q, k):
    if isinstance(p, Gaussian):
        return p.wasserstein(q)
    m, s, k = p.m - q.m, abs(p.s - q.s), mpf(k)
    of = lambda z: abs(m + s * z) ** k * exp(-z * z / 2)
    return (mp.quad(of, sorted([-inf, -m / s, inf, mpf(-20), mpf(0), mpf(20)])) / sqrt(2 * pi)) ** (1 / k)


DIVERGENCES = dict(renyi=renyi, alpha=alpha, beta=beta, chi=chi, hellinger=hellinger, cauchy_schwarz=cauchy_schwarz,
                   total_variation=total_variation, jensen_shannon=jensen_shannon, wasserstein=wasserstein)
ORDERS = dict(renyi=[-1, -0.25, 1e-9, 0.3, 0.5, 0.999999999, 1, 1.000000001, 1.5, 2, 7],
              alpha=[-1, -1e-9, 0, 1e-9, 0.3, 0.5, 0.999999999, 1, 1.000000001, 2, 3.5],
              beta=[-0.4, -1e-9, 0, 1e-9, 0.5, 1, 2.5], chi=[1.5, 2, 4], hellinger=[0], cauchy_schwarz=[0])
ON_LINE = dict(total_variation=[0], jensen_shannon=[0])

A2, B2 = ([0.5, -1.25], [[2.0, 0.5], [0.5, 1.0]]), ([0.0, -1.0], [[1.5, -0.25], [-0.25, 2.0]])
A3 = ([1.0, 2.0, -0.5], [[1.0, 0.25, 0.125], [0.25, 0.5, -0.0625], [0.125, -0.0625, 2.0]])
B3 = ([0.0, 0.0, 0.0], [[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 5.0]])
N3 = ([1.0, 2.0, -0.5 + 2**-20], [[1.0, 0.25, 0.125], [0.25, 0.5 + 2**-21, -0.0625], [0.125, -0.0625, 2.0]])
# Family, parameters of p, of q, whether total variation and Jensen-Shannon too.
PAIRS = [
    (Normal, (0.0, 1.0), (1.0, 1.5), True),
    (Normal, (0.5, 2.0), (-1.0, 0.75), True),
    (Normal, (3.0, 1e-3), (3.5, 40.0), True),
    (Normal, (1.0, 1.0), (1.0 + 2**-20, 1.0 + 2**-22), True),
    (Normal, (2.0, 0.5), (-4.0, 0.5), True),
    (Gaussian, A2, B2, False),
    (Gaussian, A3, B3, False),
    (Gaussian, B3, A3, False),
    (Gaussian, A3, N3, False),
    (Exponential, (2.0,), (0.25,), True),
    (Exponential, (1.0,), (1.0 + 2**-20,), True),
    (Gamma, (2.0, 3.0), (3.5, 1.25), True),
    (Gamma, (0.625, 2.0), (4.0, 2.0), True),
    (Gamma, (300.0, 2.0), (310.0, 2.25), True),
    (Gamma, (2.0, 3.0), (2.0 + 2**-20, 3.0 - 2**-21), True),
    (Gamma, (1e7, 2.0), (1e8, 20.0), False),
    (Gamma, (0.015625, 1.0), (50.0, 1e-3), False),
    (Beta, (2.0, 5.0), (1.5, 1.0), True),
    (Beta, (0.75, 0.5), (4.0, 6.0), True),
    (Beta, (20.0, 30.0), (20.0 + 2**-16, 30.0), True),
    (Dirichlet, (1.0, 2.0, 3.0), (2.0, 2.0, 0.75), False),
    (Dirichlet, (1e-3, 5.0, 0.5, 20.0), (1.0, 1.0, 1.0, 1.0), False),
    (Dirichlet, (1e6, 2e6, 3e6), (2e6, 4e6, 6e6), False),
    (Poisson, (3.0,), (4.5,), True),
    (Poisson, (100.0,), (80.0,), True),
    (Poisson, (2.0,), (2.0 + 2**-20,), True),
    (Discrete, (0.5, 0.25, 0.125, 0.125), (0.25, 0.25, 0.25, 0.25), True),
    (Discrete, (0.5, 0.5, 0.0), (0.25, 0.25, 0.5), True),
    (Discrete, (0.25, 0.25, 0.5), (0.5, 0.5, 0.0), True),
    (Discrete, (0.5, 0.5, 0.0, 0.0), (0.0, 0.0, 0.5, 0.5), True),
    (Discrete, (0.5, 0.5), (0.5 + 2**-25, 0.5 - 2**-25), True),
    (Discrete, (1e-12, 1 - 1e-12), (1 - 1e-12, 1e-12), True),
]


def flat(parameters):
    for x in parameters:
        if isinstance(x, (list, tuple)):
            yield from flat(x)
        else:
            yield repr(float(x))


def text(x):
    """As a double: what overflows is infinite."""
    return ("kInf" if x > 0 else "-kInf") if abs(x) > sys.float_info.max else mp.nstr(x, 20, min_fixed=0, max_fixed=0)


def check_by_quadrature(p, q):
    """Closed forms against the definitions."""
    pairs = [(p.kl(q), lambda x, y: x * log(x / y)), (alpha(p, q, 0.5), lambda x, y: 4 * (x - sqrt(x * y))),
             (p.power(q, 1, 1), lambda x, y: x * y)]
    for closed, f in pairs[:2] if p.power(q, 1, 1) == inf or p.power(p, 2, 0) == inf else pairs:
        found = quadrature(p, q, f)
        if f is pairs[2][1]:
            found = log(found)
        if abs(found - closed) > mpf(10) ** -18 * (1 + abs(closed)):
            sys.exit(f"{type(p).__name__}: {mp.nstr(closed, 20)} is {mp.nstr(found, 20)} by quadrature")


def rows():
    unchecked = [Normal, Gamma, Exponential, Beta]
    for family, of_p, of_q, on_line in PAIRS:
        p, q = family(*of_p), family(*of_q)
        if family in unchecked:
            unchecked.remove(family)
            check_by_quadrature(p, q)
        orders = ORDERS | (ON_LINE if on_line else {})
        if family in (Normal, Gaussian):
            orders = orders | dict(wasserstein=[1, 2, 3.5] if family is Normal else [2])
        for name, values in orders.items():
            for order in values:
                if family is Normal and name == "wasserstein" and p.s == q.s:
                    continue
                if family is Poisson and name == "beta" and order < 0:
                    continue
                value = DIVERGENCES[name](p, q, order)
                yield (f'{{"{family.__name__}", {{{", ".join(flat(of_p))}}}, {{{", ".join(flat(of_q))}}}, "{name}", '
                       f"{float(order)!r}, {text(value)}}},")


if __name__ == "__main__":
    lines = list(rows())
    OUT.write_text("// Made by tests/stats/make_divergence_references.py.\n" + "\n".join(lines) + "\n")
    print(f"{len(lines)} rows")
