#!/usr/bin/env python3
"""Reference values of exponential families for family_test.cpp: needs mpmath and SciPy.

  tests/conjugate/make_family_values.py > tests/conjugate/data/families.txt

One line per case: family, parameters of q, parameters of p, log-partition of q, its entropy, KL(q, p), E_q t. Sums and integrals on
the line and on the circle are computed numerically from the densities, with 30 digits; vectors and matrices from the textbook
(Bishop 2006, appendix B), with SciPy's entropies as a check.
"""
import mpmath as mp
import numpy as np
from scipy import stats

mp.mp.dps = 30
INF = mp.inf


def say(name, q, p, log_partition, entropy, kl, means):
    numbers = [mp.nstr(mp.mpf(x), 20) for x in (log_partition, entropy, kl, *means)]
    print(name, "|", *(repr(float(x)) for x in q), "|", *(repr(float(x)) for x in p), "|", *numbers)


def on_line(name, cases, exponent, base, statistics, points, jacobian=lambda u: 1):
    """exponent(u, parameters) = <eta, t(x)>; base = log h; points(parameters): ends and breaks of the integral; dx = jacobian(u) du."""
    for q, p in cases:
        def total(f, parameters=q):
            return mp.quad(lambda u: f(u) * jacobian(u), points(parameters))

        def partition(parameters):
            return mp.log(total(lambda x: mp.exp(exponent(x, parameters) + base(x)), parameters))

        a, b = partition(q), partition(p)
        log_q = lambda x: exponent(x, q) + base(x) - a
        log_p = lambda x: exponent(x, p) + base(x) - b
        entropy = -total(lambda x: mp.exp(log_q(x)) * log_q(x))
        kl = total(lambda x: mp.exp(log_q(x)) * (log_q(x) - log_p(x)))
        say(name, q, p, a, entropy, kl, [total(lambda x, i=i: mp.exp(log_q(x)) * statistics(x)[i]) for i in range(len(statistics(mp.mpf("0.3"))))])


def spread(mean, sd):
    return [mean + sd * k for k in (-40, -20, -10, -5, -2, 0, 2, 5, 10, 20, 40)]


on_line("gaussian", [((0.5, 2), (-1, 0.3)), ((-30, 1e-3), (2, 0.5)), ((1e3, 40), (1001, 35))],
        lambda x, t: t[0] * t[1] * x - mp.mpf(t[1]) / 2 * x * x, lambda x: -mp.log(2 * mp.pi) / 2, lambda x: (x, x * x),
        lambda t: spread(mp.mpf(t[0]), 1 / mp.sqrt(t[1])))
# x = e^u, and x = 1 / (1 + e^-u): no singular ends.
on_line("gamma", [((2, 3), (0.5, 1)), ((0.3, 4), (2.5, 0.1)), ((250, 0.5), (200, 0.45))],
        lambda u, t: (t[0] - 1) * u - t[1] * mp.exp(u), lambda u: 0, lambda u: (u, mp.exp(u)),
        lambda t: [mp.log(mp.mpf(t[0]) / t[1]) + x for x in (-300, -100, -30, -10, -3, -1, -0.3, 0, 0.3, 1, 3, 6)], mp.exp)
on_line("beta", [((2, 3), (0.5, 1)), ((0.5, 0.7), (4, 2)), ((50, 30), (45, 33))],
        lambda u, t: -(t[0] - 1) * mp.log1p(mp.exp(-u)) - (t[1] - 1) * mp.log1p(mp.exp(u)), lambda u: 0,
        lambda u: (-mp.log1p(mp.exp(-u)), -mp.log1p(mp.exp(u))),
        lambda t: [mp.log(mp.mpf(t[0]) / t[1]) + x for x in (-200, -60, -20, -6, -2, -1, -0.3, 0, 0.3, 1, 2, 6, 20, 60, 200)],
        lambda u: mp.exp(-abs(u)) / (1 + mp.exp(-abs(u))) ** 2)
on_line("von_mises", [((0.4, 2), (-2, 0.5)), ((3, 0.01), (1, 4)), ((-1, 60), (-1.1, 45)), ((2, 29.5), (2, 30.5))],
        lambda x, t: t[1] * mp.cos(x - t[0]), lambda x: 0, lambda x: (mp.cos(x), mp.sin(x)),
        lambda t: [t[0] - mp.pi + 2 * mp.pi * k / 16 for k in range(17)])


def counts(name, cases, log_density, statistics, support, log_partition):
    for q, p in cases:
        cells = [(mp.exp(log_density(x, q)), x) for x in support(q)]
        entropy = -mp.fsum(w * log_density(x, q) for w, x in cells)
        kl = mp.fsum(w * (log_density(x, q) - log_density(x, p)) for w, x in cells)
        means = [mp.fsum(w * statistics(x)[i] for w, x in cells) for i in range(len(statistics(cells[0][1])))]
        say(name, q, p, log_partition(q), entropy, kl, means)


counts("poisson", [((2.5,), (1,)), ((0.01,), (3,)), ((900,), (880,)), ((1500,), (1400,))],
       lambda x, t: x * mp.log(t[0]) - t[0] - mp.loggamma(x + 1), lambda x: (x,),
       lambda t: range(max(0, int(t[0] - 20 * t[0] ** 0.5 - 40)), int(t[0] + 20 * t[0] ** 0.5 + 60)), lambda t: mp.mpf(t[0]))
counts("bernoulli", [((0.3,), (0.6,)), ((1e-6,), (0.5,))],
       lambda x, t: x * mp.log(mp.mpf(t[0])) + (1 - x) * mp.log(1 - mp.mpf(t[0])), lambda x: (x,), lambda t: (0, 1),
       lambda t: -mp.log(1 - mp.mpf(t[0])))
counts("categorical3", [((0.2, 0.3, 0.5), (0.6, 0.3, 0.1))], lambda x, t: mp.log(mp.mpf(t[x])),
       lambda x: [int(x == i) for i in range(3)], lambda t: range(3), lambda t: mp.mpf(0))
counts("multinomial6x3", [((0.2, 0.3, 0.5), (0.6, 0.3, 0.1))],
       lambda x, t: mp.loggamma(7) + mp.fsum(n * mp.log(mp.mpf(r)) - mp.loggamma(n + 1) for n, r in zip(x, t)), lambda x: x,
       lambda t: [(i, j, 6 - i - j) for i in range(7) for j in range(7 - i)], lambda t: mp.mpf(0))

for q, p in [((1, 2, 3), (0.5, 0.5, 4)), ((0.1, 0.2, 0.05), (1, 1, 1)), ((40, 300, 7), (35, 310, 9))]:
    q0, p0 = mp.fsum(q), mp.fsum(p)
    norm = lambda t: mp.fsum(mp.loggamma(x) for x in t) - mp.loggamma(mp.fsum(t))
    means = [mp.digamma(x) - mp.digamma(q0) for x in q]
    entropy = norm(q) - mp.fsum((x - 1) * m for x, m in zip(q, means))
    assert abs(entropy - stats.dirichlet.entropy(q)) < 1e-9
    say("dirichlet3", q, p, norm(q), entropy, norm(p) - norm(q) + mp.fsum((x - y) * m for x, y, m in zip(q, p, means)), means)


def matrix(flat, d):
    return mp.matrix([[flat[i * d + j] for j in range(d)] for i in range(d)])


def lower(m, double=True):
    return [m[i, j] * (2 if double and i != j else 1) for i in range(m.rows) for j in range(i + 1)]


def trace(m):
    return mp.fsum(m[i, i] for i in range(m.rows))


def multi_gaussian(q_mean, q_precision, p_mean, p_precision, d):
    """Entropy and KL of d-dimensional Gaussians (mpmath)."""
    gap = mp.matrix(p_mean) - mp.matrix(q_mean)
    cov = q_precision ** -1
    kl = (trace(p_precision * cov) + (gap.T * p_precision * gap)[0] - d + mp.log(mp.det(q_precision) / mp.det(p_precision))) / 2
    return d * mp.log(2 * mp.pi * mp.e) / 2 - mp.log(mp.det(q_precision)) / 2, kl


P2, R2 = (2, 0.7, 0.7, 1), (1, -0.2, -0.2, 3)
P3, R3 = (2, 0.7, -0.1, 0.7, 1, 0.2, -0.1, 0.2, 4), (1, 0, 0.3, 0, 1, 0.1, 0.3, 0.1, 2)
for name, d, q, p in [("multivariate_gaussian2", 2, ((1, -2), P2), ((0, 0.5), R2)), ("multivariate_gaussian3", 3, ((1, -2, 5), P3), ((0, 0.5, 4), R3))]:
    m, prec = mp.matrix(q[0]), matrix(q[1], d)
    entropy, kl = multi_gaussian(q[0], prec, p[0], matrix(p[1], d), d)
    assert abs(entropy - stats.multivariate_normal(np.array(q[0], float), np.linalg.inv(np.array(q[1], float).reshape(d, d))).entropy()) < 1e-9
    say(name, q[0] + q[1], p[0] + p[1], (m.T * prec * m)[0] / 2 - mp.log(mp.det(prec)) / 2, entropy, kl,
        list(m) + lower(prec ** -1 + m * m.T))


def multigamma(x, d):
    return mp.mpf(d * (d - 1)) / 4 * mp.log(mp.pi) + mp.fsum(mp.loggamma(x - mp.mpf(j) / 2) for j in range(d))


def wishart(nu, v, d):
    """log-partition, E x, E log|x| with inverse scale v (Bishop B.79, B.81)."""
    nu = mp.mpf(nu)
    norm = -nu / 2 * mp.log(mp.det(v)) + nu * d / 2 * mp.log(2) + multigamma(nu / 2, d)
    log_det = mp.fsum(mp.digamma((nu + 1 - i) / 2) for i in range(1, d + 1)) + d * mp.log(2) - mp.log(mp.det(v))
    return norm, nu * v ** -1, log_det


def wishart_kl(q, p, d):
    (qn, qv), (pn, pv) = q, p
    a, mean, log_det = wishart(qn, qv, d)
    b, _, _ = wishart(pn, pv, d)
    return b - a + (mp.mpf(qn) - pn) / 2 * log_det - trace((qv - pv) * mean) / 2


def wishart_entropy(nu, v, d):
    a, _, log_det = wishart(nu, v, d)
    entropy = a - (mp.mpf(nu) - d - 1) / 2 * log_det + mp.mpf(nu) * d / 2
    if nu > d:
        assert abs(entropy - stats.wishart(nu, np.linalg.inv(np.array(v.tolist(), float))).entropy()) < 1e-8
    return entropy


for name, d, q, p in [("wishart2", 2, (3.5, P2), (5, R2)), ("wishart2", 2, (1.2, P2), (2, R2)), ("wishart3", 3, (40, P3), (33, R3)),
                      ("wishart3", 3, (2.1, P3), (7, R3))]:
    qv, pv = matrix(q[1], d), matrix(p[1], d)
    norm, mean, log_det = wishart(q[0], qv, d)
    say(name, (q[0],) + q[1], (p[0],) + p[1], norm, wishart_entropy(q[0], qv, d), wishart_kl((q[0], qv), (p[0], pv), d),
        lower(mean) + [log_det])

for name, d, q, p in [("normal_wishart2", 2, ((1, -2), 3, 4.5, P2), ((0, 1), 0.5, 3, R2)),
                      ("normal_wishart3", 3, ((1, -2, 0), 0.1, 2.5, P3), ((0, 1, 2), 2, 6, R3)),
                      ("normal_gamma", 1, ((1.5,), 2, 3, (4,)), ((-1,), 0.5, 1, (2,))),
                      ("normal_gamma", 1, ((-20,), 0.01, 0.4, (0.3,)), ((-1,), 1, 2, (2,)))]:
    # A normal-gamma distribution is the case d = 1 with nu = 2 shape, V = 2 rate: but for the scale of log x the same formulas.
    gamma = name == "normal_gamma"
    nu, pn = (2 * q[2], 2 * p[2]) if gamma else (q[2], p[2])
    qv, pv = (matrix(x, d) * (2 if gamma else 1) for x in (q[3], p[3]))
    m, gap, kappa, pk = mp.matrix(q[0]), mp.matrix(p[0]) - mp.matrix(q[0]), mp.mpf(q[1]), mp.mpf(p[1])
    norm, mean, log_det = wishart(nu, qv, d)
    # Chain rule: the matrix, then the mean given it.
    entropy = wishart_entropy(nu, qv, d) + d * mp.log(2 * mp.pi * mp.e / kappa) / 2 - log_det / 2
    kl = wishart_kl((nu, qv), (pn, pv), d) + (d * pk / kappa - d + d * mp.log(kappa / pk) + pk * (gap.T * mean * gap)[0]) / 2
    square = d / kappa + (m.T * mean * m)[0]
    means = ([mean[0] * m[0], mean[0], square, log_det] if gamma else list(mean * m) + lower(mean) + [square, log_det])
    say(name, q[0] + (q[1], q[2]) + q[3], p[0] + (p[1], p[2]) + p[3], norm - d * mp.log(kappa) / 2, entropy, kl, means)
