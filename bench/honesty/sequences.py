"""Simulators of series in time and of curves."""
import math

from .catalogue import OTHER, program
from .random_numbers import inv_logit


@program(OTHER)
def sensor_curve(source):
    t = sorted(source.uniform(0, 8) for _ in range(16))
    return {"N": 16, "t": t, "y": [source.normal(1.2 * math.sin(1.3 * x) + 0.3 * math.cos(4 * x), 0.3) for x in t]}


@program(OTHER, "--target-accept", "0.95")
def sightings(source):
    places = [0.5 * k for k in range(12)]
    visits = [source.integer(4, 12) for _ in places]
    return {"N": 12, "place": places, "visits": visits,
            "seen": [source.binomial(n, inv_logit(-0.4 + 1.2 * math.sin(1.1 * x))) for n, x in zip(visits, places)]}


@program(OTHER)
def river_levels(source):
    y, before, last = [], 0.0, 0.0
    for t in range(100):
        before, last = last, 0.7 * last - 0.25 * before + source.normal(0, 0.6)
        y.append(1 + 0.5 * (2 * t / 99 - 1) + last)
    return {"T": 100, "y": y}


@program(OTHER, "--target-accept", "0.95")
def local_level(source):
    level, y = 1.0, []
    for _ in range(50):
        y.append(source.normal(level, 0.6))
        level += source.normal(0, 0.3)
    return {"T": 50, "y": y}


@program(OTHER, "--target-accept", "0.95")
def seasonal_counts(source):
    season = [[f(2 * math.pi * k * t / 12) for k in (1, 2) for f in (math.sin, math.cos)] for t in range(60)]
    state, cases = source.normal(0, 0.4), []
    for row in season:
        cases.append(source.poisson(math.exp(2 + 0.5 * row[0] - 0.2 * row[1] + 0.1 * row[3] + state)))
        state = 0.5 * state + source.normal(0, 0.3)
    return {"T": 60, "K": 4, "season": season, "cases": cases}


@program(OTHER, "--target-accept", "0.95")
def volatility(source):
    h, returns = source.normal(-1, 0.6), []
    for _ in range(80):
        returns.append(source.normal(0, math.exp(0.5 * h)))
        h = -1 + 0.92 * (h + 1) + source.normal(0, 0.3)
    return {"T": 80, "returns": returns}


@program(OTHER)
def regimes(source):
    state, y = 0, []
    for _ in range(100):
        y.append(source.normal((-1.0, 1.3)[state], 0.7))
        state = 1 - state if source.bernoulli((0.1, 0.2)[state]) else state
    return {"T": 100, "y": y}


@program(OTHER)
def accidents(source):
    return {"T": 30, "events": [source.poisson(3.2 if t < 18 else 1.4) for t in range(30)]}


@program(OTHER)
def tumour_growth(source):
    days = [1.5 * k for k in range(16)]
    return {"N": 16, "day": days, "volume": [8 * inv_logit(0.4 * (day - 11)) * math.exp(source.normal(0, 0.15)) for day in days]}
