#!/usr/bin/env python3
"""Reference values of elementwise functions and their partial derivatives, with 50 digits.

    python3 tests/math/make_references.py > tests/math/data/elementwise.inc      (needs mpmath)

Arguments are doubles, taken exactly. A group is one function: points, a relative tolerance for values and one for
partials. Where a tolerance is not the default, the group says why. The derivative in an argument that is an int in
Stan is 0.
"""
import sys
from mpmath import (acos, acosh, asin, asinh, atan, atan2, atanh, besseli, besselj, besselk, bessely, beta, betainc,
                    binomial, cbrt, cos, cosh, diff, digamma, erf, erfc, erfinv, exp, expm1, findroot, fmod, gamma,
                    gammainc, hypot, inf, isinf, isnan, lambertw, ldexp, log, log1p, loggamma, mp, mpf, pi, psi, quad,
                    rf, ff, sin, sinh, sqrt, tan, tanh)

mp.dps = 50
VALUE_TOLERANCE = 1e-14
PARTIAL_TOLERANCE = 1e-13

GROUPS = []


def group(name, function, points, value=VALUE_TOLERANCE, partial=PARTIAL_TOLERANCE, why="", ints=(), partials=None,
          digits=50):
    GROUPS.append((name, function, points, value, partial, why, ints, partials, digits))


def one(*points):
    return [(p,) for p in points]


def log_gamma(x):
    """log |Gamma(x)|"""
    return loggamma(x).real if x > 0 else log(abs(gamma(x)))


def inv_logit(x):
    return 1 / (1 + exp(-x))


def phi(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def normal_quantile(p):
    """By Newton's method on the nearer tail."""
    if p > mpf(1) / 2:
        return -normal_quantile(1 - p)
    return log_normal_quantile(log(p))


def log_normal_quantile(l):
    if l > -log(mpf(2)):
        return -log_normal_quantile(log(-expm1(l)))
    x = -sqrt(-2 * l) if l < -2 else mpf(-1) / 2
    for _ in range(200):
        cdf = phi(x)
        step = (log(cdf) - l) * cdf / (exp(-x * x / 2) / sqrt(2 * pi))
        x -= step
        if abs(step) < mpf(10) ** -45 * (1 + abs(x)):
            break
    return x


def inv_erfc(p):
    return -normal_quantile(p / 2) / sqrt(mpf(2))


def owens_t(h, a):
    return quad(lambda t: exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a / 4, a / 2, a]) / (2 * pi)


def log_beta(a, b):
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


def gamma_lower(a, z):
    return 1 - gamma_upper(a, z) if z > a else gammainc(a, 0, z, regularized=True)


def gamma_upper(a, z):
    return gammainc(a, z, inf, regularized=True)


def incomplete_beta(a, b, x):
    return betainc(a, b, 0, x, regularized=True)


def inverse_incomplete_beta(a, b, p):
    start = mpf(1) / 2
    low, high = mpf(0), mpf(1)
    for _ in range(60):
        if incomplete_beta(a, b, start) < p:
            low = start
        else:
            high = start
        start = (low + high) / 2
    x = start
    for _ in range(6):
        x -= (incomplete_beta(a, b, x) - p) / (x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b))
    return x


def inverse_beta_partials(a, b, p):
    x = inverse_incomplete_beta(a, b, p)
    density = x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b)
    return [-diff(lambda t: incomplete_beta(t, b, x), a) / density,
            -diff(lambda t: incomplete_beta(a, t, x), b) / density, 1 / density]


def choose_log(n, k):
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)


def multivariate_log_gamma(k, x):
    return k * (k - 1) / 4 * log(pi) + sum(log_gamma(x - mpf(j) / 2) for j in range(int(k)))


def trunc(x):
    return mpf(int(x))


LINE = one(-700.5, -20.0, -1.5, -1e-3, -1e-9, 1e-12, 0.3, 1.0, 4.75, 36.5, 300.25)
POSITIVE = one(5e-324, 1e-300, 1e-5, 0.3, 0.999999, 1.0000001, 1.7, 42.0, 1e10, 1e300)
PROBABILITY = one(1e-300, 1e-20, 1e-5, 0.2, 0.499999999, 0.5000001, 0.75, 0.99, 0.9999999)
PAIRS = [(1.5, -2.25), (-3.0, 0.1), (1e-3, 1e3), (7.0, 7.5), (-1e5, -3.3), (0.7, 1e-8)]

# arithmetic.cpp
group("plus", lambda x: x, LINE)
group("minus", lambda x: -x, LINE)
group("add", lambda x, y: x + y, PAIRS)
group("subtract", lambda x, y: x - y, PAIRS)
group("multiply", lambda x, y: x * y, PAIRS)
group("elt_multiply", lambda x, y: x * y, PAIRS)
group("divide", lambda x, y: x / y, PAIRS)
group("elt_divide", lambda x, y: x / y, PAIRS)
group("fma", lambda x, y, z: x * y + z,
      [(1.5, 2.0, 3.0), (2.5, 0.7, 3.5), (0.1, 0.2, 0.3), (30.0, 5.0, 7.0), (1e5, 1e-5, -3.0), (-2.5, -1.25, 1e3),
       (0.0, 2.0, -1.0)])
group("squared_distance", lambda x, y: (x - y) ** 2, PAIRS)
group("abs", abs, LINE)
ZERO = lambda *x: [mpf(0)] * len(x)
INTEGER_PARTS = one(-2.5, -1.5, -0.5, -0.49999999999999994, 0.3, 0.5, 1.5, 2.5, 1e15 + 0.5, 7.0)
group("ceil", lambda x: mp.ceil(x), INTEGER_PARTS, partials=ZERO)
group("floor", lambda x: mp.floor(x), INTEGER_PARTS, partials=ZERO)
group("round", lambda x: mp.sign(x) * mp.floor(abs(x) + mpf(1) / 2), INTEGER_PARTS, partials=ZERO)
group("trunc", trunc, INTEGER_PARTS, partials=ZERO)
group("fmod", lambda x, y: x - y * trunc(x / y),
      [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (0.3, 0.1), (1e5, 3.7), (1.0, 2.0)],
      partials=lambda x, y: [mpf(1), -trunc(x / y)])
group("fdim", lambda x, y: max(x - y, mpf(0)), PAIRS)
group("fmax", max, PAIRS)
group("fmin", min, PAIRS)
STEPS = one(-1e300, -1.0, -5e-324, 5e-324, 1.0, 2.5)
group("step", lambda x: mpf(1 if x >= 0 else 0), STEPS, partials=ZERO)
group("int_step", lambda x: mpf(1 if x > 0 else 0), STEPS + one(0.0), partials=ZERO)
group("is_nan", lambda x: mpf(0), STEPS, partials=ZERO)
group("is_inf", lambda x: mpf(0), STEPS, partials=ZERO)
group("logical_negation", lambda x: mpf(1 if x == 0 else 0), STEPS + one(0.0), partials=ZERO)
TIES = PAIRS + [(1.0, 1.0), (-0.0, 0.0)]
group("logical_eq", lambda x, y: mpf(x == y), TIES, partials=ZERO)
group("logical_neq", lambda x, y: mpf(x != y), TIES, partials=ZERO)
group("logical_lt", lambda x, y: mpf(x < y), TIES, partials=ZERO)
group("logical_lte", lambda x, y: mpf(x <= y), TIES, partials=ZERO)
group("logical_gt", lambda x, y: mpf(x > y), TIES, partials=ZERO)
group("logical_gte", lambda x, y: mpf(x >= y), TIES, partials=ZERO)

# exponential.cpp
group("exp", exp, LINE + one(709.5, -745.0), why="")
group("exp2", lambda x: mpf(2) ** x, LINE + one(1023.5))
group("expm1", expm1, LINE + one(0.36, 0.34, -0.35, 709.5), partials=lambda x: [exp(x)])
group("log", log, POSITIVE)
group("log10", lambda x: log(x) / log(mpf(10)), POSITIVE)
group("log2", lambda x: log(x) / log(mpf(2)), POSITIVE)
group("log1p", log1p, one(-0.999999, -0.75, -0.3, -1e-10, 1e-300, 1e-8, 0.4, 0.42, 1.0, 1e3, 1e17, 1e308))
group("log1m", lambda x: log1p(-x), one(0.999999, 0.75, 0.3, 1e-10, 1e-300, -1e-8, -0.4, -1e3, -1e17))
group("square", lambda x: x * x, LINE)
group("sqrt", sqrt, POSITIVE)
group("cbrt", lambda x: mp.sign(x) * cbrt(abs(x)), one(-1e10, -8.0, -0.3, 1e-30, 0.5, 27.0, 1e300),
      partials=lambda x: [1 / (3 * cbrt(abs(x)) ** 2)])
group("inv", lambda x: 1 / x, one(-1e100, -3.0, -1e-5, 1e-100, 0.7, 3.0, 1e150))
group("inv_sqrt", lambda x: 1 / sqrt(x), one(1e-200, 1e-5, 0.3, 2.0, 1e7, 1e200))
group("inv_square", lambda x: 1 / x ** 2, one(-1e50, -3.0, -1e-5, 1e-90, 0.7, 3.0, 1e100))
group("pow", lambda x, y: x ** y,
      [(2.0, 3.0), (0.5, -1.5), (1e-5, 0.3), (7.3, 2.0), (7.3, 0.5), (7.3, -1.0), (7.3, -2.0), (7.3, -0.5),
       (1.0000001, 1e6), (3.0, 1.0), (2.5, 3.0), (100.0, -20.25)])
group("pow", lambda x, y: x ** int(y), [(-2.0, 3.0), (-1.5, 2.0), (-2.5, -3.0)],
      partials=lambda x, y: [y * x ** int(y - 1), mp.nan], why="a negative base has no derivative in the exponent")
group("hypot", hypot, [(3.0, 4.0), (-1.0, 1e-3), (1e200, 1e200), (0.5, -0.25), (1e-200, 3e-200), (2.0, 0.0)],
      partials=lambda x, y: [x / hypot(x, y), y / hypot(x, y)])
group("ldexp", lambda x, n: x * mpf(2) ** n, [(1.5, 3.0), (-0.3, -10.0), (1e-300, 900.0), (7.0, 0.0), (1e300, -1000.0),
                                              (0.1, 1.0)], ints=(1,))
LMULTIPLY = [(2.0, 3.0), (-1.5, 0.2), (1e-5, 1e5), (0.0, 2.0), (3.0, 1.0000001), (7.0, 1e-300)]
group("lmultiply", lambda x, y: x * log(y), LMULTIPLY)
group("multiply_log", lambda x, y: x * log(y), LMULTIPLY)
group("hypergeometric_1F0", lambda a, z: (1 - z) ** -a,
      [(2.0, 0.5), (-1.5, 0.3), (0.7, -0.9), (3.0, 0.99), (1e-3, 1e-9), (10.0, -0.5)])

# logistic.cpp
# Values near 1 or derivatives near 0 need more digits in between.
group("inv_logit", inv_logit, LINE, digits=400)
group("logit", lambda u: log(u) - log1p(-u), PROBABILITY)
group("log1p_exp", lambda x: log1p(exp(x)), LINE, digits=400)
group("log_inv_logit", lambda x: -log1p(exp(-x)), LINE, digits=400)
group("log1m_inv_logit", lambda x: -log1p(exp(x)), LINE, digits=400)
group("log1m_exp", lambda x: log(-expm1(x)), one(-700.5, -40.0, -3.0, -0.7, -0.69, -0.1, -1e-5, -1e-200), digits=700)
group("inv_cloglog", lambda x: -expm1(-exp(x)), one(-700.0, -20.0, -3.0, -0.1, 0.0, 0.5, 1.5, 3.0))
group("Phi_approx", lambda x: inv_logit(mpf(0.07056) * x ** 3 + mpf(1.5976) * x), one(-12.0, -5.0, -1.0, 0.0, 0.3, 2.0, 7.5),
      value=1e-13, partial=1e-12, why="the argument of inv_logit is of order 100 in the tail, and rounded")
LOG_PAIRS = [(1.5, -2.25), (-3.0, 0.1), (-1000.0, -1000.5), (7.0, 7.5), (800.0, 3.0), (0.7, 1e-8), (2.0, 2.0)]
group("log_sum_exp", lambda a, b: log(exp(a) + exp(b)), LOG_PAIRS)
group("log_diff_exp", lambda a, b: log(exp(a) - exp(b)),
      [(1.5, -2.25), (0.1, -3.0), (-1000.0, -1000.5), (7.5, 7.0), (800.0, 3.0), (0.75, 0.5), (1e-8, -40.0)],
      value=1e-13, why="near log_diff_exp = 0 its condition number is large")
group("log_mix", lambda t, a, b: log(t * exp(a) + (1 - t) * exp(b)),
      [(0.3, 1.5, -2.25), (0.99, -3.0, 0.1), (1e-10, -1000.0, -1000.5), (0.5, 7.0, 7.0), (0.75, 800.0, 3.0),
       (0.2, -1.0, 2.0)], partial=1e-12,
      why="exp(a - value) has the absolute error of the value, here up to 1000")
group("log_inv_logit_diff", lambda a, b: log(inv_logit(a) - inv_logit(b)),
      [(1.5, -2.25), (3.0, 2.75), (-20.0, -30.0), (40.0, 39.0), (0.5, 0.25), (600.0, -600.0)], digits=700)
group("binary_log_loss", lambda y, p: -log(p) if y == 1 else -log1p(-p),
      [(1.0, 0.3), (0.0, 0.3), (1.0, 0.99), (0.0, 0.99), (1.0, 1e-10), (0.0, 1e-10)], ints=(0,))

# trigonometry.cpp
ANGLES = one(-100.5, -3.0, -0.7, 1e-9, 0.5, 1.5, 3.1, 1e6)
group("sin", sin, ANGLES)
group("cos", cos, ANGLES)
group("tan", tan, ANGLES)
group("asin", asin, one(-0.999999, -0.5, -1e-8, 0.3, 0.75, 0.9999))
group("acos", acos, one(-0.999999, -0.5, -1e-8, 0.3, 0.75, 0.9999))
group("atan", atan, one(-1e10, -1.0, -1e-8, 0.3, 2.0, 1e5))
group("atan2", atan2, [(1.0, 2.0), (-1.0, 2.0), (1.0, -2.0), (-1.0, -2.0), (1e-5, 1e5), (1e200, 1e200)],
      partials=lambda y, x: [x / (x * x + y * y), -y / (x * x + y * y)])
group("sinh", sinh, one(-300.5, -1.0, -1e-8, 0.3, 5.0, 700.0))
group("cosh", cosh, one(-300.5, -1.0, -1e-8, 0.3, 5.0, 700.0))
group("tanh", tanh, one(-300.5, -20.0, -1.0, -1e-8, 0.3, 5.0, 18.5), partials=lambda x: [1 / cosh(x) ** 2])
group("asinh", asinh, one(-1e200, -3.0, -1e-8, 0.3, 5.0, 1e8))
group("acosh", acosh, one(1.0000001, 1.1, 2.0, 30.0, 1e8, 1e200))
group("atanh", atanh, one(-0.999999, -0.5, -1e-8, 0.3, 0.75, 0.9999))

# normal.cpp
group("erf", erf, one(-5.0, -1.0, -1e-9, 0.3, 0.9, 2.5))
group("erfc", erfc, one(-5.0, -1.0, 1e-9, 0.3, 2.5, 10.0, 26.0), value=1e-13, partial=1e-12,
      why="exp(-x^2) magnifies the rounding of x^2 by x^2 = 676")
group("inv_erfc", inv_erfc, one(1e-300, 1e-10, 0.1, 0.9, 1.3, 1.9, 1.9999999), partial=1e-11,
      why="the derivative exp(x^2) magnifies the rounding of x by 2 x^2 = 1370")
group("Phi", phi, one(-37.0, -20.0, -8.0, -2.0, -0.1, 0.3, 1.5, 8.0), value=1e-13, partial=1e-12,
      why="exp(-x^2/2) magnifies the rounding of x^2 by x^2/2 = 700")
group("inv_Phi", normal_quantile, PROBABILITY, partial=1e-11,
      why="the derivative exp(x^2/2) magnifies the rounding of x by x^2 = 1370")
group("std_normal_qf", normal_quantile, PROBABILITY, partial=1e-11, why="as inv_Phi")
group("std_normal_log_qf", log_normal_quantile,
      one(-1e5, -2000.0, -691.0, -689.0, -50.0, -3.0, -0.7, -0.6931471, -0.3, -1e-5, -1e-20), partial=1e-11,
      why="as inv_Phi", partials=lambda l: [(lambda x: phi(x) / (exp(-x * x / 2) / sqrt(2 * pi)))(log_normal_quantile(l))])
group("owens_t", owens_t, [(0.5, 0.3), (1.0, 2.0), (-1.5, 0.7), (2.0, -3.0), (4.0, 0.1), (0.1, 10.0), (6.0, 1.0)],
      value=1e-13, partial=1e-12, why="Boost's method selection is good to some 50 ulp; derivatives decay as exp(-h^2)",
      partials=lambda h, a: [-erf(a * h / sqrt(mpf(2))) * exp(-h * h / 2) / (2 * sqrt(2 * pi)),
                             exp(-h * h * (1 + a * a) / 2) / (1 + a * a) / (2 * pi)])

# gamma.cpp
group("lgamma", log_gamma, one(1e-300, 1e-5, 0.3, 0.9999, 1.00001, 1.46, 1.9999, 2.001, 5.5, 30.0, 1e5, 1e300, -0.5, -2.3),
      partials=lambda x: [digamma(x)])
group("digamma", digamma, one(1e-100, 1e-5, 0.3, 1.0, 1.4616, 1.46163215, 2.0, 9.5, 30.0, 1e5, 1e100, -0.5, -2.3),
      value=2e-14, partials=lambda x: [psi(1, x)], why="Boost; 1.46163215 is 1e-8 from the root")
group("trigamma", lambda x: psi(1, x), one(1e-5, 0.3, 1.0, 2.0, 9.5, 30.0, 1e5, -0.5, -2.3), partials=lambda x: [psi(2, x)])
group("tgamma", gamma, one(1e-5, 0.3, 1.0, 1.5, 5.5, 30.0, 170.5, -0.5, -2.3, -10.1), partials=lambda x: [gamma(x) * digamma(x)],
      why="", value=2e-14)
SHAPES = [(0.3, 0.7), (1.0, 2.0), (1e-5, 3.0), (20.5, 0.1), (15.0, 25.0), (1e-3, 1e5), (1e5, 2e5), (1e8, 3.0)]
group("lbeta", log_beta, SHAPES, value=1e-13, why="lgamma(1) and lgamma(2) are zeros: sums of three of them lose digits",
      partials=lambda a, b: [digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)])
group("beta", beta, [(0.3, 0.7), (1.0, 2.0), (1e-5, 3.0), (20.5, 0.1), (15.0, 25.0), (1e-3, 1e5)], value=5e-14,
      why="powers of large arguments",
      partials=lambda a, b: [beta(a, b) * (digamma(a) - digamma(a + b)), beta(a, b) * (digamma(b) - digamma(a + b))])
group("lchoose", choose_log, [(10.0, 3.0), (5.5, 2.25), (1e5, 10.0), (1e5, 5e4), (20.0, 17.0), (3.0, 1.5), (1e9, 4.0)],
      value=1e-13, why="as lbeta",
      partials=lambda n, k: [digamma(n + 1) - digamma(n - k + 1), digamma(n - k + 1) - digamma(k + 1)], partial=1e-12)
group("choose", binomial, [(10.0, 3.0), (5.0, 5.0), (7.0, 0.0), (50.0, 25.0), (30.0, 29.0), (3.0, 2.0)], value=0.0,
      ints=(0, 1), why="exact")
FACTORIALS = [(3.5, 4.0), (10.0, 3.0), (0.1, 2.0), (100.0, 20.0), (2.5, 0.0), (7.25, 1.0), (-2.5, 3.0)]
group("rising_factorial", lambda x, n: rf(x, int(n)), FACTORIALS, ints=(1,))
group("falling_factorial", lambda x, n: ff(x, int(n)), FACTORIALS + [(2.0, 5.0)], ints=(1,))
REAL_FACTORIALS = [(3.5, 2.25), (10.0, 3.0), (1e5, 20.0), (1e6, 0.5), (7.25, 1.0), (40.0, 30.5)]
group("log_rising_factorial", lambda x, n: log_gamma(x + n) - log_gamma(x), REAL_FACTORIALS, value=1e-13,
      why="as lbeta", partials=lambda x, n: [digamma(x + n) - digamma(x), digamma(x + n)])
group("log_falling_factorial", lambda x, n: log_gamma(x + 1) - log_gamma(x - n + 1), REAL_FACTORIALS, value=1e-13,
      why="as lbeta", partials=lambda x, n: [digamma(x + 1) - digamma(x - n + 1), digamma(x - n + 1)])
group("lmgamma", multivariate_log_gamma, [(1.0, 2.5), (2.0, 1.3), (3.0, 7.0), (5.0, 100.0), (4.0, 1.75), (10.0, 5.1)],
      ints=(0,), partials=lambda k, x: [mpf(0), sum(digamma(x - mpf(j) / 2) for j in range(int(k)))])

# incomplete.cpp
INCOMPLETE = [(0.5, 0.3), (1.0, 1.0), (3.0, 2.5), (3.0, 3.5), (3.0, 20.0), (50.0, 40.0), (50.0, 60.0), (1e-3, 0.5),
              (1e-3, 2.0), (0.3, 1e-5), (2000.0, 1900.0), (2000.0, 2050.0)]
BOOST = "Boost's values are good to some hundred ulp where shapes are large"
group("gamma_p", gamma_lower, INCOMPLETE, value=1e-12, partial=1e-11, why=BOOST)
group("gamma_q", gamma_upper, INCOMPLETE, value=1e-12, partial=1e-11, why=BOOST)
BETAS = [(0.5, 0.3, 0.2), (1.0, 1.0, 0.7), (3.0, 2.0, 0.1), (3.0, 2.0, 0.9), (0.01, 5.0, 0.3), (5.0, 0.01, 0.999),
         (50.0, 80.0, 0.35), (50.0, 80.0, 0.45), (500.0, 700.0, 0.42), (20.0, 0.5, 0.97)]
group("inc_beta", incomplete_beta, BETAS, value=1e-12, partial=1e-11, why=BOOST)
group("inv_inc_beta", inverse_incomplete_beta,
      [(0.5, 0.3, 0.2), (1.0, 1.0, 0.7), (3.0, 2.0, 0.1), (3.0, 2.0, 0.9), (50.0, 80.0, 0.35), (2.0, 9.0, 1e-5)],
      value=1e-12, partial=1e-11, why=BOOST, partials=inverse_beta_partials)

# bessel.cpp
ORDERS = [(0.0, 0.5), (1.0, 2.0), (3.0, 0.1), (5.0, 20.0), (2.0, 7.5), (0.0, 100.0), (12.0, 5.0)]
group("bessel_first_kind", lambda n, z: besselj(n, z), ORDERS, value=1e-13, partial=2e-13, ints=(0,), why="zeros are near")
group("bessel_second_kind", lambda n, z: bessely(n, z), ORDERS, value=1e-13, partial=2e-13, ints=(0,), why="zeros are near")
group("modified_bessel_first_kind", lambda n, z: besseli(n, z), ORDERS, ints=(0,))
group("modified_bessel_second_kind", lambda n, z: besselk(n, z), ORDERS, ints=(0,))
group("log_modified_bessel_first_kind", lambda v, z: log(besseli(v, z)),
      [(0.0, 0.5), (0.5, 2.0), (1.5, 3.0), (3.25, 1e-3), (10.0, 20.0), (-0.5, 2.0), (0.3, 150.0), (100.0, 5.0),
       (30.0, 1500.0), (2.0, 5000.0), (7.0, 99.0)], value=1e-13, partial=2e-12,
      why="the largest term is a power whose exponent is of order z; d/dv is -v/z for large z")
group("lambert_w0", lambda x: lambertw(x).real, one(-0.36, -0.2, -1e-8, 0.3, 1.0, 20.0, 1e10, 1e300), value=2e-14,
      partial=1e-11, why="near the branch point -1/e the derivative is 1/(1 + W)",
      partials=lambda x: [exp(-lambertw(x).real) / (1 + lambertw(x).real)])
group("lambert_wm1", lambda x: lambertw(x, -1).real, one(-0.36, -0.3, -0.2, -0.05, -1e-5, -1e-100), value=2e-14,
      partial=1e-11, why="as lambert_w0",
      partials=lambda x: [exp(-lambertw(x, -1).real) / (1 + lambertw(x, -1).real)])


def text(x):
    if isnan(x):
        return "kNaN"
    if isinf(x):
        return "kInf" if x > 0 else "-kInf"
    rounded = float(x)
    return repr(rounded) if abs(rounded) != float("inf") else ("kInf" if x > 0 else "-kInf")


def partials_of(function, point, ints, partials, digits):
    if partials is not None:
        result = partials(*point)
        return [mpf(0) if j in ints else r for j, r in enumerate(result)]
    result = []
    for j in range(len(point)):
        if j in ints:
            result.append(mpf(0))
            continue
        slot = lambda t, j=j: function(*[t if k == j else p for k, p in enumerate(point)])
        # A step relative to the argument, small enough for 50 digits to hold a fourth-order difference.
        mp.dps = digits + 60
        h = (abs(point[j]) if point[j] != 0 else mpf(1)) * mpf(10) ** -24
        result.append((8 * (slot(point[j] + h) - slot(point[j] - h)) - (slot(point[j] + 2 * h) - slot(point[j] - 2 * h))) / (12 * h))
        mp.dps = digits
    return result


def main():
    print("// Written by tests/math/make_references.py; do not edit. REFERENCE(name, relative tolerance of the value, of the")
    print("// partials, arguments, value, partials)")
    for name, function, points, value_tol, partial_tol, why, ints, partials, digits in GROUPS:
        mp.dps = digits
        if why:
            print(f"// {name}: {why}")
        for point in points:
            exact = [mpf(p) for p in point]
            value = function(*exact)
            d = partials_of(function, exact, ints, partials, digits)
            arguments = ", ".join(repr(float(p)) for p in point)
            print(f"REFERENCE({name}, {value_tol:g}, {partial_tol:g}, ({arguments}), {text(value)}, "
                  f"({', '.join(text(x) for x in d)}))")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
