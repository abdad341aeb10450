"""Simulators of the regressions."""
import math

from .catalogue import REGRESSION, program
from .random_numbers import dot, inv_logit


def columns(source, rows, slopes, correlation=0.0):
    """Data N, K, x, and the linear predictor."""
    x = source.matrix(rows, len(slopes), correlation)
    return {"N": rows, "K": len(slopes), "x": x}, [dot(row, slopes) for row in x]


@program(REGRESSION)
def two_arms(source):
    return {"treated": [40, 38], "recovered": [source.binomial(40, 0.4), source.binomial(38, 0.65)]}


@program(REGRESSION)
def house_prices(source):
    data, predictor = columns(source, 120, [0.3, 0.2, -0.1, 0.0, 0.15, -0.05], correlation=0.6)
    return data | {"log_price": [12 + eta + source.normal(0, 0.4) for eta in predictor]}


@program(REGRESSION)
def credit_default(source):
    data, predictor = columns(source, 200, [0.8, -0.5, 0.3, 0.0, 0.0, 0.4, -0.9, 0.1, 0.0, 0.2], correlation=0.3)
    return data | {"defaulted": [source.bernoulli(inv_logit(-1.8 + eta)) for eta in predictor]}


@program(REGRESSION)
def gene_screen(source):
    effects = [1.0, -1.0, 0.7, 0.5] + [0.0] * 76
    data, predictor = columns(source, 120, effects)
    return {"N": data["N"], "K": data["K"], "expression": data["x"],
            "diseased": [source.bernoulli(inv_logit(eta)) for eta in predictor]}


@program(REGRESSION)
def bike_counts(source):
    data, predictor = columns(source, 150, [0.3, -0.2, 0.1, 0.0, 0.25], correlation=0.2)
    hours = [source.uniform(0.5, 4) for _ in predictor]
    return {"N": data["N"], "K": data["K"], "weather": data["x"], "hours": hours,
            "passed": [source.poisson(h * math.exp(0.8 + eta)) for h, eta in zip(hours, predictor)]}


@program(REGRESSION)
def insect_counts(source):
    data, predictor = columns(source, 100, [0.5, -0.4, 0.2, 0.0], correlation=0.4)
    return data | {"caught": [source.neg_binomial(math.exp(1.2 + eta), 1.5) for eta in predictor]}


@program(REGRESSION)
def robust_line(source):
    data, predictor = columns(source, 80, [1.0, -0.5, 0.3], correlation=0.3)
    return data | {"y": [0.5 + eta + 0.7 * source.student_t(3) for eta in predictor]}


@program(REGRESSION)
def satisfaction(source):
    data, predictor = columns(source, 80, [0.7, -0.4, 0.2, 0.5], correlation=0.3)
    cuts = [-2.0, -0.7, 0.5, 2.2]
    return data | {"answer": [1 + sum(eta + math.log(u / (1 - u)) > cut for cut in cuts)
                              for eta in predictor for u in [source.uniform(1e-12, 1)]]}


@program(REGRESSION)
def transport_choice(source):
    slopes = ([0.5, 1.0, -0.4], [0.2, -0.6, 0.5], [-0.3, 0.2, 0.8])  # of each choice but the last
    x = [[1.0, *source.normals(2)] for _ in range(120)]
    return {"N": len(x), "K": 3, "x": x,
            "choice": [source.category([math.exp(dot(row, slope)) for slope in slopes] + [1.0]) for row in x]}


@program(REGRESSION)
def loan_share(source):
    data, predictor = columns(source, 50, [0.6, -0.3, 0.2], correlation=0.2)
    means = [inv_logit(-0.5 + eta) for eta in predictor]
    inside = [min(max(source.beta(12 * mean, 12 * (1 - mean)), 1e-6), 1 - 1e-6) for mean in means]
    return data | {"share": inside}


@program(REGRESSION)
def claim_sizes(source):
    data, predictor = columns(source, 100, [0.4, -0.2, 0.1, 0.0], correlation=0.5)
    return data | {"claim": [source.gamma(1.8, 1.8 * math.exp(-1 - eta)) for eta in predictor]}


@program(REGRESSION, "--target-accept", "0.95")
def dose_response(source):
    doses = [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5]
    chances = [0.05 + 0.95 * 0.5 * math.erfc(-2 * (dose - 0.2) / math.sqrt(2)) for dose in doses]
    return {"N": len(doses), "log_dose": doses, "animals": [10] * len(doses),
            "died": [source.binomial(10, chance) for chance in chances]}


@program(REGRESSION)
def fishing_trips(source):
    data, predictor = columns(source, 150, [0.4, -0.3, 0.2])
    idle = [inv_logit(-0.5 + 0.8 * row[0]) for row in data["x"]]
    return data | {"fish": [0 if source.bernoulli(chance) else source.poisson(math.exp(0.9 + eta))
                            for chance, eta in zip(idle, predictor)]}


@program(REGRESSION)
def uneven_noise(source):
    data, predictor = columns(source, 120, [1.0, 0.5, -0.5], correlation=0.3)
    sds = [math.exp(-0.3 + dot(row, [0.4, -0.2, 0.1])) for row in data["x"]]
    return data | {"y": [2 + eta + source.normal(0, sd) for eta, sd in zip(predictor, sds)]}


@program(REGRESSION)
def machine_failures(source):
    data, predictor = columns(source, 80, [0.5, -0.3, 0.2])
    times = [source.weibull(1.4, math.exp(1 + eta)) for eta in predictor]
    cuts = [source.uniform(1, 8) for _ in times]
    return data | {"time": [min(pair) for pair in zip(times, cuts)],
                   "failed": [int(time < cut) for time, cut in zip(times, cuts)]}


@program(REGRESSION)
def lasso(source):
    data, predictor = columns(source, 80, [1.5, -1.0, 0.5] + [0.0] * 22, correlation=0.2)
    return data | {"y": [0.3 + eta + source.normal() for eta in predictor]}


@program(REGRESSION, "--target-accept", "0.95")
def sparse_signals(source):
    data, predictor = columns(source, 60, [1.2, -0.9, 0.6] + [0.0] * 9)
    return data | {"y": [eta + source.normal() for eta in predictor]}
