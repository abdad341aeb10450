#!/usr/bin/env python3
"""Writes tests/math/data/discrete.inc and densities.inc: values (and, for the first, partial derivatives) of discrete
and of multivariate distributions, from their definitions with 50 digits (mpmath). Run where mpmath is installed; the
rows are committed.

Cumulative functions are sums of masses, each tail on its own; infinite sums are mpmath's nsum.
"""

import pathlib

import mpmath as mp
from mpmath import exp, log, loggamma, mpf, pi

mp.mp.dps = 50
DATA = pathlib.Path(__file__).with_name("data")


def text(x):
    return mp.nstr(x, 20, min_fixed=0, max_fixed=0) if mp.isfinite(x) else ("-kInf" if x < 0 else "kInf")


def log_choose(n, k):
    return loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)


def log_beta(a, b):
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def inv_logit(x):
    return 1 / (1 + exp(-x))


def xlogy(x, y):
    return mpf(0) if x == 0 else x * log(y)


# ---- univariate: name -> (log mass, number of arguments that are ints, (lowest, highest) value, points) ----
def bernoulli(n, p):
    return log(p) if n == 1 else mp.log1p(-p)


def log_inv_logit(x):
    return -mp.log1p(exp(-x))


def binomial(n, N, p):
    return log_choose(N, n) + xlogy(n, p) + xlogy(N - n, 1 - p)


def beta_binomial(n, N, a, b):
    return log_choose(N, n) + log_beta(n + a, N - n + b) - log_beta(a, b)


def beta_neg_binomial(n, r, a, b):
    return loggamma(n + b) - loggamma(b) + log_beta(n + r, a + b) - log_beta(r, a) - loggamma(n + 1)


def hypergeometric(n, N, a, b):
    return log_choose(a, n) + log_choose(b, N - n) - log_choose(a + b, N)


def neg_binomial_2(n, mu, phi):
    return (loggamma(n + phi) - loggamma(phi) - loggamma(n + 1) + xlogy(n, mu / (mu + phi)) - phi * mp.log1p(mu / phi))


def neg_binomial(n, a, b):
    return neg_binomial_2(n, a / b, a)


def poisson(n, rate):
    return xlogy(n, rate) - rate - loggamma(n + 1)


def yule_simon(n, a):
    return log(a) + log_beta(n, a + 1)


EVERYWHERE = (lambda *p: 0, lambda *p: None)
TO_TRIALS = (lambda *p: 0, lambda *p: int(p[0]))
UNIVARIATE = {
    "bernoulli": (bernoulli, 1, (lambda *p: 0, lambda *p: 1), [(0, 0.3), (1, 0.3), (1, 1e-12), (0, 1e-12), (1, 0.999)]),
    "bernoulli_logit": (lambda n, a: log_inv_logit(a if n == 1 else -a), 1, None,
                        [(0, 0.3), (1, 0.3), (1, -30), (0, 25), (1, 40.5), (0, -1e-3), (1, 700), (0, 700)]),
    "binomial": (binomial, 2, TO_TRIALS,
                 [(3, 10, 0.35), (0, 10, 0.3), (10, 10, 0.3), (0, 0, 0.5), (1, 1000000, 3e-6), (450, 1000, 0.5),
                  (7, 10, 0.9), (2, 50, 0.6), (49, 50, 0.1)]),
    "binomial_logit": (lambda n, N, a: log_choose(N, n) + n * log_inv_logit(a) + (N - n) * log_inv_logit(-a), 2, None,
                       [(3, 10, 0.3), (0, 10, -3), (10, 10, 30), (4, 10, -40), (0, 0, 0.5), (450, 1000, 0.1)]),
    "beta_binomial": (beta_binomial, 2, TO_TRIALS,
                      [(3, 10, 2, 3.5), (0, 10, 0.3, 0.2), (10, 10, 5, 1), (5, 20, 1000, 3000), (0, 0, 1, 1),
                       (7, 8, 0.01, 0.02), (60, 100, 20, 30)]),
    "beta_neg_binomial": (beta_neg_binomial, 1, EVERYWHERE,
                          [(3, 2, 3, 4), (0, 0.5, 2.5, 0.7), (12, 6, 3.5, 2), (5, 10, 30, 20), (40, 3, 8, 2.5)]),
    "hypergeometric": (hypergeometric, 4, None, [(1, 3, 4, 5), (0, 3, 4, 5), (3, 3, 4, 5), (20, 100, 300, 900), (2, 4, 2, 2)]),
    "neg_binomial": (neg_binomial, 1, EVERYWHERE,
                     [(3, 2, 0.5), (0, 0.3, 4), (17, 5, 0.2), (1, 1e5, 2e4), (9, 0.01, 1), (2, 30, 9)]),
    "neg_binomial_2": (neg_binomial_2, 1, EVERYWHERE,
                       [(3, 2, 0.5), (0, 0.3, 4), (17, 5, 1.2), (1, 4, 1e8), (30, 2, 3), (2, 40, 12), (100, 95, 1e3)]),
    "neg_binomial_2_log": (lambda n, eta, phi: neg_binomial_2(n, exp(eta), phi), 1, None,
                           [(3, 0.7, 0.5), (0, -3, 4), (17, 1.5, 1.2), (1, 1.4, 1e8), (5, -20, 0.1), (6, 30, 2)]),
    "poisson": (poisson, 1, EVERYWHERE, [(0, 0.3), (3, 0.3), (3, 7.5), (100, 90), (2, 30), (60, 30), (12, 11)]),
    "poisson_log": (lambda n, a: poisson(n, exp(a)), 1, None, [(0, 0.3), (3, -2), (3, 2), (100, 4.5), (0, -40)]),
    "yule_simon": (yule_simon, 1, (lambda *p: 1, lambda *p: None), [(1, 0.5), (3, 2.5), (12, 1), (40, 7), (2, 0.1), (100, 3)]),
    "discrete_range": (lambda n, l, u: -log(u - l + 1), 3, (lambda *p: int(p[0]), lambda *p: int(p[1])),
                       [(3, 1, 6), (-2, -5, 4), (4, 4, 4), (1, 1, 6), (6, 1, 6), (0, -1, 1)]),
}


def tail_sum(mass, start, stop, p):
    if stop is None:
        if mass in (beta_neg_binomial, yule_simon):  # a power law: the other side
            low = 1 if mass is yule_simon else 0
            return 1 - mp.fsum(exp(mass(mpf(k), *p)) for k in range(low, int(start)))
        total, k = mpf(0), mpf(start)
        while True:
            term = exp(mass(k, *p))
            total += term
            if k > start + 10 and term < total * mpf(10) ** -55:
                return total
            k += 1
    if stop - start > 5000:  # with 120 digits, the other side
        return 1 - tail_sum(mass, 0, start - 1, p)
    return mp.fsum(exp(mass(mpf(k), *p)) for k in range(int(start), int(stop) + 1))


def univariate_rows(name):
    mass, ints, support, points = UNIVARIATE[name]
    functions = {"lpmf": mass}
    if support is not None:
        low, high = support
        functions["lcdf"] = lambda n, *p: log(tail_sum(mass, low(*p), n, p)) if n >= low(*p) else -mp.inf
        functions["lccdf"] = lambda n, *p: (
            -mp.inf if high(*p) is not None and n >= high(*p) else log(tail_sum(mass, n + 1, high(*p), p)))
    for function, f in functions.items():
        for point in points:
            x = [mpf(float(v)) for v in point]
            with mp.workdps(120 if abs(x[-1]) < 100 else 700):  # so that tiny probabilities keep their digits
                value = f(*x)
                if function != "lpmf" and abs(value) < mpf(10) ** -90:  # a sum of everything
                    value = mpf(0)
                partials = []
                for j in range(len(x)):
                    if j < ints or not mp.isfinite(value) or (value == 0 and function != "lpmf"):
                        partials.append(mpf(0))
                        continue
                    step = mpf(10) ** -30 * max(abs(x[j]), mpf(10) ** -3)
                    up, down = list(x), list(x)
                    up[j] += step
                    down[j] -= step
                    partials.append((f(*up) - f(*down)) / (2 * step))
            yield '{"%s", "%s", {%s}, %s, {%s}},' % (
                name, function, ", ".join(repr(float(v)) for v in x), text(value), ", ".join(map(text, partials)))


# ---- multivariate: arguments as C++ sees them (see density_ops_test.cpp) ----
class Argument:
    def __init__(self, maker, value, rows=None):
        self.maker, self.value, self.rows = maker, value, rows

    def text(self):
        if self.maker in ("real", "integer"):
            return "%s(%r)" % (self.maker, self.value)
        numbers = ", ".join(repr(v) for v in flat(self.value))
        return "%s(%s{%s})" % (self.maker, "" if self.rows is None else "%d, " % self.rows, numbers)


def flat(value):
    return [v for item in value for v in flat(item)] if isinstance(value, (list, tuple)) else [value]


def real(x):
    return Argument("real", float(x))


def integer(n):
    return Argument("integer", n)


def integers(*n):
    return Argument("integers", list(n))


def vector(*x):
    return Argument("vector", [float(v) for v in x])


def row_vector(*x):
    return Argument("row_vector", [float(v) for v in x])


def simplex(*x):
    return Argument("simplex", [float(v) for v in x])


def cuts(*x):
    return vector(*x)


def vectors(*xs):
    return Argument("vectors", [[float(v) for v in x] for x in xs], len(xs[0]))


def row_vectors(*xs):
    return Argument("row_vectors", [[float(v) for v in x] for x in xs], len(xs[0]))


def matrix(rows, kind="matrix"):  # rows of numbers; kept column by column
    columns = [[float(row[j]) for row in rows] for j in range(len(rows[0]))]
    return Argument(kind, columns, len(rows))


def lower(rows):
    return matrix(rows, "lower")


def symmetric(rows):
    return matrix(rows, "symmetric")


def correlation(rows):
    return matrix(rows, "correlation")


def M(argument):
    return mp.matrix([[mpf(c[i]) for c in argument.value] for i in range(argument.rows)])


def V(values):
    return mp.matrix([mpf(v) for v in values])


def pairs(y, mu):
    ys = y.value if y.maker in ("vectors", "row_vectors") else [y.value]
    mus = mu.value if mu.maker in ("vectors", "row_vectors") else [mu.value]
    n = max(len(ys), len(mus))
    return [(V(ys[i % len(ys)]), V(mus[i % len(mus)])) for i in range(n)]


def log_det(a):
    return log(mp.det(a))


def trace(a):
    return mp.fsum(a[i, i] for i in range(a.rows))


def normal_quad(d, precision):
    return (d.T * precision * d)[0]


def multi_normal(y, mu, precision):
    k = precision.rows
    return mp.fsum(-k * log(2 * pi) / 2 + log_det(precision) / 2 - normal_quad(a - b, precision) / 2
                   for a, b in pairs(y, mu))


def multi_student_t(y, nu, mu, precision):
    k, nu = precision.rows, mpf(nu.value)
    return mp.fsum(loggamma((nu + k) / 2) - loggamma(nu / 2) - k * log(nu * pi) / 2 + log_det(precision) / 2
                   - (nu + k) / 2 * mp.log1p(normal_quad(a - b, precision) / nu) for a, b in pairs(y, mu))


def multi_gp(y, cov, w):
    y, precision = M(y), cov ** -1
    total = mpf(0)
    for d in range(y.rows):
        row = y[d, :].T
        scale = mpf(w.value[d])
        total += -y.cols * log(2 * pi) / 2 + log_det(precision * scale) / 2 - normal_quad(row, precision * scale) / 2
    return total


def matrix_normal_prec(y, mu, s, d):
    e, s, d = M(y) - M(mu), M(s), M(d)
    n, p = e.rows, e.cols
    return -n * p * log(2 * pi) / 2 + p * log_det(s) / 2 + n * log_det(d) / 2 - trace(d * e.T * s * e) / 2


def log_mgamma(k, x):
    return k * (k - 1) * log(pi) / 4 + mp.fsum(loggamma(x - mpf(j) / 2) for j in range(k))


def wishart(w, nu, s):
    k = w.rows
    return (-nu * k * log(2) / 2 - log_mgamma(k, nu / 2) - nu / 2 * log_det(s) + (nu - k - 1) / 2 * log_det(w)
            - trace(s ** -1 * w) / 2)


def inv_wishart(w, nu, s):
    k = w.rows
    return (-nu * k * log(2) / 2 - log_mgamma(k, nu / 2) + nu / 2 * log_det(s) - (nu + k + 1) / 2 * log_det(w)
            - trace(w ** -1 * s) / 2)


def cholesky_jacobian(y):  # of L -> L L'
    k = y.rows
    return k * log(2) + mp.fsum((k - i) * log(y[i, i]) for i in range(k))


def lkj_constant(eta, k):  # by the product of beta functions (LKJ 2009, theorem 5's other form)
    total = mpf(0)
    for i in range(1, k):
        b = eta + mpf(k - 1 - i) / 2
        total += (2 * eta - 2 + k - i) * (k - i) * log(2) + (k - i) * log_beta(b, b)
    return -total


def lkj_cov(s, mu, sigma, eta):
    s = M(s)
    k = s.rows
    total = lkj_constant(mpf(eta.value), k)
    sds = [mp.sqrt(s[i, i]) for i in range(k)]
    r = mp.matrix(k, k)
    for i in range(k):
        z = (log(sds[i]) - mpf(mu.value[i])) / mpf(sigma.value[i])
        total += -log(sds[i]) - log(mpf(sigma.value[i])) - log(2 * pi) / 2 - z * z / 2
        for j in range(k):
            r[i, j] = s[i, j] / (sds[i] * sds[j])
    return total + (mpf(eta.value) - 1) * log_det(r)


def lse(values):
    return log(mp.fsum(exp(mpf(v)) for v in values))


def outcomes(y):
    return y.value if y.maker == "integers" else [y.value]


def spread(a, n):
    return [mpf(v) for v in a.value] * (1 if len(a.value) == n else n) if isinstance(a.value, list) else [mpf(a.value)] * n


def categorical(y, theta):
    return mp.fsum(log(mpf(theta.value[n - 1])) for n in outcomes(y))


def categorical_logit(y, beta):
    return mp.fsum(mpf(beta.value[n - 1]) - lse(beta.value) for n in outcomes(y))


def multinomial(n, log_theta):
    n = n.value
    return (loggamma(sum(n) + 1) - mp.fsum(loggamma(k + 1) for k in n)
            + mp.fsum(0 if k == 0 else k * t for k, t in zip(n, log_theta)))


def dirichlet(theta, alpha):
    total = mpf(0)
    for t, a in pairs(theta, alpha):
        total += loggamma(mp.fsum(a)) - mp.fsum(loggamma(v) for v in a) + mp.fsum((v - 1) * log(w) for v, w in zip(a, t))
    return total


def dirichlet_multinomial(n, alpha):
    n, a = n.value, [mpf(v) for v in alpha.value]
    s, N = mp.fsum(a), sum(n)
    return (loggamma(s) + loggamma(N + 1) - loggamma(N + s)
            + mp.fsum(loggamma(k + v) - loggamma(v) - loggamma(k + 1) for k, v in zip(n, a)))


def ordered(cdf):
    def f(y, location, c):
        ys = outcomes(y)
        sets = c.value if c.maker == "vectors" else [c.value]
        n = max(len(ys), len(location.value) if isinstance(location.value, list) else 1)
        total = mpf(0)
        for i, loc in enumerate(spread(location, n)):
            own, k = [mpf(v) for v in sets[i % len(sets)]], ys[i % len(ys)]
            high = mpf(1) if k > len(own) else cdf(own[k - 1] - loc)
            below = mpf(0) if k == 1 else cdf(own[k - 2] - loc)
            total += log(high - below)
        return total

    return f


def predictors(x, alpha, beta, n):
    x = M(x) if x.maker == "matrix" else mp.matrix([[mpf(v) for v in x.value]])
    eta = x * V(beta.value)
    return [eta[i if x.rows > 1 else 0] + a for i, a in enumerate(spread(alpha, n))]


def glm(mass, extras=0):
    """mass(y, eta, extra...): y first, then (for binomial) trials before x, others after beta."""
    def f(y, *rest):
        if extras == "trials":
            trials, x, alpha, beta = rest
            tail = [trials]
        else:
            x, alpha, beta = rest[:3]
            tail = list(rest[3:])
        n = x.rows if x.maker == "matrix" else max(len(a.value) for a in (y, alpha) if isinstance(a.value, list))
        eta = predictors(x, alpha, beta, n)
        ys, more = spread(y, n), [spread(t, n) for t in tail]
        return mp.fsum(mass(ys[i], eta[i], *(m[i] for m in more)) for i in range(n))

    return f


def categorical_glm(y, x, alpha, beta):
    X = M(x) if x.maker == "matrix" else mp.matrix([[mpf(v) for v in x.value]])
    odds = X * M(beta)
    ys = outcomes(y)
    n = max(len(ys), X.rows)
    total = mpf(0)
    for i in range(n):
        row = [odds[i if X.rows > 1 else 0, k] + mpf(a) for k, a in enumerate(alpha.value)]
        total += row[ys[i % len(ys)] - 1] - lse(row)
    return total


def ordered_glm(y, x, beta, c):
    X = M(x) if x.maker == "matrix" else mp.matrix([[mpf(v) for v in x.value]])
    n = max(len(outcomes(y)), X.rows)
    location = X * V(beta.value)
    return ordered(inv_logit)(y, Argument("vector", [location[i if X.rows > 1 else 0] for i in range(n)]), c)


def gaussian_dlm(y, F, G, v, W, m0, C0):
    """The joint normal of all observations, without a filter."""
    y, F, G, W, C0 = M(y), M(F), M(G), M(W), M(C0)
    V_ = M(v) if v.maker == "symmetric" else mp.diag([mpf(x) for x in v.value])
    r, T = y.rows, y.cols
    means, covs, m, P = [], {}, V(m0.value), C0
    states = []
    for t in range(T):
        m = G * m
        P = G * P * G.T + W
        means.append(m)
        states.append(P)
    n = r * T
    S, d = mp.matrix(n, n), mp.matrix(n, 1)
    for t in range(T):
        e = y[:, t] - F.T * means[t]
        for i in range(r):
            d[t * r + i] = e[i]
        for s in range(t, T):
            cross = states[t]
            for _ in range(s - t):
                cross = cross * G.T
            block = F.T * cross * F + (V_ if s == t else mp.zeros(r, r))
            for i in range(r):
                for j in range(r):
                    S[t * r + i, s * r + j] = block[i, j]
                    S[s * r + j, t * r + i] = block[i, j]
    return -n * log(2 * pi) / 2 - log_det(S) / 2 - (d.T * S ** -1 * d)[0] / 2


def normal(y, mu, sigma):
    return -log(2 * pi) / 2 - log(sigma) - ((y - mu) / sigma) ** 2 / 2


def Phi(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


S2 = [[2, 0.5], [0.5, 1.25]]
S3 = [[2, 0.5, -0.25], [0.5, 1.25, 0.125], [-0.25, 0.125, 0.75]]
L3 = [[1.5, 0, 0], [0.25, 0.75, 0], [-0.5, 0.125, 1.25]]
R3 = [[1, 0.5, -0.25], [0.5, 1, 0.125], [-0.25, 0.125, 1]]
K3 = [[1, 0, 0], [0.6, 0.8, 0], [0, 0.28, 0.96]]
X = [[0.5, -1], [1.25, 0.25], [-0.75, 2], [0.125, -0.5], [2, 1.5]]
Y3 = vectors((0.5, -1, 2), (1.25, 0.75, -0.5))
MU3 = vector(0.25, -0.5, 1)


def located(name, f, before=(), scale=symmetric(S3)):
    """All shapes of variate and location."""
    for y in (vector(0.5, -1, 2), row_vector(0.5, -1, 2), Y3, row_vectors((0.5, -1, 2), (1.25, 0.75, -0.5))):
        for mu in (MU3, row_vector(0.25, -0.5, 1), vectors((0.25, -0.5, 1), (0, 0.5, -1)),
                   row_vectors((0.25, -0.5, 1), (0, 0.5, -1))):
            arguments = [y, *before, mu, scale]
            yield name, arguments, f(*arguments)


def density_rows():
    inverse = lambda a: M(a) ** -1
    from_lower = lambda a: (M(a) * M(a).T) ** -1
    yield from located("multi_normal_lpdf", lambda y, mu, s: multi_normal(y, mu, inverse(s)))
    yield from located("multi_normal_prec_lpdf", lambda y, mu, s: multi_normal(y, mu, M(s)))
    yield from located("multi_normal_cholesky_lpdf", lambda y, mu, s: multi_normal(y, mu, from_lower(s)), (), lower(L3))
    yield from located("multi_student_t_lpdf", lambda y, nu, mu, s: multi_student_t(y, nu, mu, inverse(s)), (real(3.5),))
    yield from located("multi_student_t_cholesky_lpdf",
                       lambda y, nu, mu, s: multi_student_t(y, nu, mu, from_lower(s)), (real(3.5),), lower(L3))

    def row(name, f, *arguments):
        return name, arguments, f(*arguments)

    gp_y = matrix([[0.5, -1, 2], [1.25, 0.75, -0.5]])
    yield row("multi_gp_lpdf", lambda y, s, w: multi_gp(y, M(s), w), gp_y, symmetric(S3), vector(0.5, 2))
    yield row("multi_gp_cholesky_lpdf", lambda y, s, w: multi_gp(y, M(s) * M(s).T, w), gp_y, lower(L3), vector(0.5, 2))
    yield row("matrix_normal_prec_lpdf", matrix_normal_prec, gp_y, matrix([[0, 0.5, 1], [1, -1, 0]]), symmetric(S2),
              symmetric(S3))
    for nu in (4.5, 2.25, 12):
        W3 = [[1.5, -0.25, 0.5], [-0.25, 2, 0.25], [0.5, 0.25, 1]]
        yield row("wishart_lpdf", lambda w, v, s: wishart(M(w), mpf(v.value), M(s)), symmetric(W3), real(nu), symmetric(S3))
        yield row("inv_wishart_lpdf", lambda w, v, s: inv_wishart(M(w), mpf(v.value), M(s)), symmetric(W3), real(nu),
                  symmetric(S3))
        Y = [[0.75, 0, 0], [-0.5, 1.5, 0], [0.25, 0.125, 2]]
        yield row("wishart_cholesky_lpdf",
                  lambda w, v, s: wishart(M(w) * M(w).T, mpf(v.value), M(s) * M(s).T) + cholesky_jacobian(M(w)),
                  lower(Y), real(nu), lower(L3))
        yield row("inv_wishart_cholesky_lpdf",
                  lambda w, v, s: inv_wishart(M(w) * M(w).T, mpf(v.value), M(s) * M(s).T) + cholesky_jacobian(M(w)),
                  lower(Y), real(nu), lower(L3))
    for eta in (1, 0.5, 2.75):
        yield row("lkj_corr_lpdf", lambda r, e: lkj_constant(mpf(e.value), 3) + (mpf(e.value) - 1) * log_det(M(r)),
                  correlation(R3), real(eta))
        yield row("lkj_corr_cholesky_lpdf",
                  lambda l, e: lkj_constant(mpf(e.value), 3)
                  + mp.fsum((3 - k - 1 + 2 * mpf(e.value) - 2) * log(M(l)[k, k]) for k in (1, 2)), lower(K3), real(eta))
        yield row("lkj_cov_lpdf", lkj_cov, symmetric(S3), vector(0.25, -0.5, 1), vector(0.5, 1, 2), real(eta))

    theta = simplex(0.125, 0.5, 0.375)
    beta = vector(0.5, -1.5, 2)
    logs = [log(mpf(t)) for t in theta.value]
    for y in (integer(1), integer(3), integers(2, 3, 2, 1), integers(2, 2)):
        yield row("categorical_lpmf", categorical, y, theta)
        yield row("categorical_logit_lpmf", categorical_logit, y, beta)
    for n in (integers(3, 0, 4), integers(0, 0, 0), integers(20, 11, 1)):
        yield row("multinomial_lpmf", lambda n, t: multinomial(n, logs), n, theta)
        yield row("multinomial_logit_lpmf", lambda n, b: multinomial(n, [mpf(v) - lse(b.value) for v in b.value]), n, beta)
        yield row("dirichlet_multinomial_lpmf", dirichlet_multinomial, n, vector(0.5, 1.5, 30))
    thetas = [(0.125, 0.5, 0.375), (0.25, 0.25, 0.5)]
    alphas = [(0.5, 1.5, 3), (2, 1, 0.25)]
    for t in (theta, Argument("row_simplex", [0.125, 0.5, 0.375]), Argument("simplexes", [list(v) for v in thetas], 3),
              Argument("row_simplexes", [list(v) for v in thetas], 3)):
        for a in (vector(*alphas[0]), row_vector(*alphas[0]), vectors(*alphas), row_vectors(*alphas)):
            alike = Argument("vectors", t.value) if "es" in t.maker else Argument("vector", t.value)
            yield "dirichlet_lpdf", [t, a], dirichlet(alike, a)

    c = cuts(-1, 0.25, 2)
    two_cuts = vectors((-1, 0.25, 2), (-0.5, 0, 0.125))
    for name, cdf in (("ordered_logistic_lpmf", inv_logit), ("ordered_probit_lpmf", Phi)):
        for k in (1, 2, 3, 4):
            yield row(name, ordered(cdf), integer(k), real(0.75), c)
            yield row(name, ordered(cdf), integers(k, 4), vector(0.75, -8), c)
            yield row(name, ordered(cdf), integers(k, 2), vector(-0.75, 9), two_cuts)
        if cdf is Phi:
            yield row(name, ordered(cdf), integers(1, 4, 2), real(0.75), c)
            yield row(name, ordered(cdf), integers(1, 3), real(0.75), two_cuts)

    x, weights = matrix(X), vector(0.75, -0.5)
    one = row_vector(0.5, -1)
    alpha = vector(0.5, -0.25, 1, 0, -1)
    counts, binary = integers(3, 0, 1, 7, 2), integers(1, 0, 0, 1, 1)
    trials = integers(9, 3, 1, 7, 30)
    logit = lambda y, eta: bernoulli(y, inv_logit(eta))
    log_rate = lambda y, eta: poisson(y, exp(eta))
    by_log = lambda y, eta, phi: neg_binomial_2(y, exp(eta), phi)
    by_logit = lambda y, eta, N: binomial(y, N, inv_logit(eta))
    for a in (real(0.25), alpha):
        for name, f, ys in (("bernoulli_logit_glm_lpmf", logit, (binary, integer(1))),
                            ("poisson_log_glm_lpmf", log_rate, (counts, integer(2)))):
            yield row(name, glm(f), ys[0], x, a, weights)
            yield row(name, glm(f), ys[1], x, a, weights)
            yield row(name, glm(f), ys[0], one, a, weights)
        yield row("neg_binomial_2_log_glm_lpmf", glm(by_log), counts, x, a, weights, real(1.5))
        yield row("neg_binomial_2_log_glm_lpmf", glm(by_log), integer(2), x, a, weights, real(1.5))
        yield row("neg_binomial_2_log_glm_lpmf", glm(by_log), counts, one, a, weights, real(1.5))
        for sigma in (real(0.75), vector(0.5, 1, 0.25, 2, 0.75)):
            outcome = vector(1.5, -0.5, 0.25, 2, -1)
            yield row("normal_id_glm_lpdf", glm(normal), outcome, x, a, weights, sigma)
            yield row("normal_id_glm_lpdf", glm(normal), outcome, one, a, weights, sigma)
            yield row("normal_id_glm_lpdf", glm(normal), real(0.5), x, a, weights, sigma)
        yield row("binomial_logit_glm_lpmf", glm(by_logit, "trials"), counts, trials, x, a, weights)
        yield row("binomial_logit_glm_lpmf", glm(by_logit, "trials"), counts, trials, one, a, weights)
        yield row("binomial_logit_glm_lpmf", glm(by_logit, "trials"), integer(2), integer(5), x, a, weights)
    yield row("binomial_logit_glm_lpmf", glm(by_logit, "trials"), integer(1), trials, x, real(0.25), weights)
    yield row("binomial_logit_glm_lpmf", glm(by_logit, "trials"), counts, integer(8), x, real(0.25), weights)
    B = matrix([[0.5, -1, 0.25], [1.5, 0.75, -0.5]])
    for y in (integers(1, 3, 2, 2, 1), integer(2)):
        for predictor in (x, one):
            yield row("categorical_logit_glm_lpmf", categorical_glm, y, predictor, vector(0.5, 0, -1), B)
            yield row("ordered_logistic_glm_lpmf", ordered_glm, y, predictor, weights, cuts(-1, 0.25, 2))
    dlm = [matrix([[0.5, 1, -0.25, 2], [1, -1, 0.5, 0.75]]), matrix([[1, 0.5], [0.25, -1], [0, 1]]),
           matrix([[0.5, 0.25, 0], [0, 0.75, -0.25], [0.125, 0, 1]]), symmetric(S2), symmetric(S3), vector(0.5, -1, 0.25),
           symmetric(R3)]
    yield row("gaussian_dlm_obs_lpdf", gaussian_dlm, *dlm)
    yield row("gaussian_dlm_obs_lpdf", gaussian_dlm, *dlm[:3], vector(0.5, 1.25), *dlm[4:])


if __name__ == "__main__":
    head = "// Written by tests/math/make_discrete_references.py.\n"
    lines = [line for name in UNIVARIATE for line in univariate_rows(name)]
    DATA.joinpath("discrete.inc").write_text(head + "\n".join(lines) + "\n")
    lines = ['{"%s", {%s}, %s},' % (name, ", ".join(a.text() for a in arguments), text(value))
             for name, arguments, value in density_rows()]
    DATA.joinpath("densities.inc").write_text(head + "\n".join(lines) + "\n")
