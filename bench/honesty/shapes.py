"""The hard shapes: exact means, standard deviations, medians and interquartile ranges of their marginals."""
import math
from statistics import NormalDist

from .catalogue import PROGRAMS, SHAPE, Program

QUARTILE = NormalDist().inv_cdf(0.75)


def quantile(cumulative, p, low, high):
    """By bisection."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if cumulative(middle) < p else (low, middle)
    return 0.5 * (low + high)


def average_normal(f, points=4001, reach=10.0):
    """E f(Z) of a standard normal Z, by the trapezoidal rule, which converges faster than any power here."""
    step = 2 * reach / (points - 1)
    places = (-reach + k * step for k in range(points))
    return step * math.fsum(math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) * f(z) for z in places)


def described(mean, sd, cumulative, reach):
    """Moments given, quartiles by the cumulative distribution."""
    q25, q50, q75 = (quantile(cumulative, p, -reach, reach) for p in (0.25, 0.5, 0.75))
    return {"mean": mean, "sd": sd, "median": q50, "iqr": q75 - q25}


def normal(mean, sd):
    return {"mean": mean, "sd": sd, "median": mean, "iqr": 2 * QUARTILE * sd}


def vector(name, size, marginal):
    return {f"{name}[{k}]": marginal for k in range(1, size + 1)}


def funnel():
    # E x^2 = E e^v = e^(9/2)
    cumulative = lambda x: average_normal(lambda z: NormalDist().cdf(x * math.exp(-1.5 * z)), 801)  # noqa: E731
    return {"v": normal(0, 3), **vector("x", 9, described(0.0, math.exp(2.25), cumulative, 50))}


def banana():
    # y = x^2 + 0.2 e: mean 1, variance 2 + 0.04
    cumulative = lambda y: average_normal(lambda e: math.erf(math.sqrt(max(0.0, y - 0.2 * e) / 2)))  # noqa: E731
    return {"x": normal(0, 1), "y": described(1.0, math.sqrt(2.04), cumulative, 20)}


def student_t3():
    def cumulative(x):
        u = x / math.sqrt(3)
        return 0.5 + (u / (1 + u * u) + math.atan(u)) / math.pi
    return vector("x", 5, described(0.0, math.sqrt(3), cumulative, 100))


def ridge():
    return {"x[1]": normal(0, 1), "x[2]": normal(0, math.hypot(999, 1000 * math.sqrt(1 - 0.999 ** 2)))}


def modes(distance):
    def cumulative(x):
        return 0.9 * NormalDist().cdf(x) + 0.1 * NormalDist().cdf(x - distance)
    return vector("x", 2, described(0.1 * distance, math.sqrt(1 + 0.09 * distance ** 2), cumulative, 30))


EXACT = {"funnel": funnel, "banana": banana, "student_t3": student_t3, "ridge": ridge,
         "two_modes": lambda: modes(7), "near_modes": lambda: modes(3)}

for shape in EXACT:
    PROGRAMS[shape] = Program(shape, SHAPE)
