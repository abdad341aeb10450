#!/usr/bin/env python3
"""Reference values of src/stats from the R packages `posterior` and `loo`.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install arviz-stats
    R CMD INSTALL posterior loo             (1.7.1 and 2.10.1; dependencies: Debian's r-cran-posterior, r-cran-loo)
    /tmp/venv/bin/python tests/stats/make_references.py      (writes tests/stats/data/*.inc)

Samples come from the generator of generator.hpp, written again below; the files hold recipes and results, no samples.
R computes what is written. ArviZ computes the same a second time; where its definition is the same, the two must agree
to 1e-9, or nothing is written.
"""
import csv
import math
import pathlib
import subprocess
import tempfile

import numpy as np
from arviz_stats.base import array_stats

HERE = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1


class Lcg:
    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (float(self.state >> 12) + 0.5) * 2.0**-52

    def bell(self):
        total = -6.0
        for _ in range(12):
            total += self.uniform()
        return total

    def heavy(self):
        u = self.uniform()
        return 1 - 1 / u if self.uniform() < 0.5 else 1 / u - 1


RECIPE = dict(correlation=0.0, center=0.0, shift=0.0, spread=0.0, drift=0.0, noise="bell")


def noise(random, kind, chain):
    if kind == "heavy":
        return random.heavy()
    if kind == "binary":
        return 1.0 if random.uniform() < 0.3 else 0.0
    bell = random.bell()
    if kind == "stuck":
        return 0.25 if chain == 0 else bell
    if kind == "integer":
        return float(int(2 * bell + 100) - 100)
    return bell


def sample(recipe, chains, draws, seed):
    """As an array of chains x draws."""
    recipe = RECIPE | recipe
    random = Lcg(seed)
    result = np.empty((chains, draws))
    for c in range(chains):
        x = 0.0
        for i in range(draws):
            x = recipe["correlation"] * x + noise(random, recipe["noise"], c)
            scaled = (1 + c * recipe["spread"]) * x
            placed = recipe["center"] + c * recipe["shift"] + scaled
            result[c, i] = placed + i * recipe["drift"]
    return result


# Name, recipe, chains, draws.
CHAINS = [
    ("iid", {}, 4, 1000),
    ("ar03", dict(correlation=0.3), 4, 1000),
    ("ar09", dict(correlation=0.9), 4, 1000),
    ("ar099", dict(correlation=0.99), 4, 500),
    ("ar0999_long", dict(correlation=0.999), 2, 3000),
    ("antithetic", dict(correlation=-0.5), 4, 500),
    ("very_antithetic", dict(correlation=-0.98), 4, 200),
    ("heavy", dict(noise="heavy"), 4, 1000),
    ("heavy_ar05", dict(noise="heavy", correlation=0.5), 3, 400),
    ("integers", dict(noise="integer"), 4, 400),
    ("binary", dict(noise="binary"), 4, 300),
    ("shifted", dict(shift=1.0), 4, 300),
    ("slightly_shifted", dict(shift=0.1, correlation=0.5), 4, 300),
    ("spread", dict(spread=0.5), 4, 300),
    ("drift", dict(drift=0.01), 4, 300),
    ("stuck", dict(noise="stuck"), 4, 200),
    ("far", dict(center=-1e6, correlation=0.6), 4, 250),
    ("odd", dict(correlation=0.4), 4, 251),
    ("odd_shifted", dict(correlation=0.4, shift=0.3), 3, 37),
    ("one_chain", dict(correlation=0.7), 1, 400),
    ("one_odd_chain", dict(correlation=0.7), 1, 333),
    ("many_short", dict(shift=0.02), 64, 16),
    ("draws_4", {}, 4, 4),
    ("draws_5", {}, 4, 5),
    ("draws_6", {}, 4, 6),
    ("draws_7", {}, 2, 7),
    ("draws_11", {}, 4, 11),
    ("draws_12", {}, 4, 12),
    ("draws_13", dict(correlation=0.5), 4, 13),
    ("draws_14", dict(correlation=0.9), 2, 14),
]

# Name, recipe, draws, relative efficiency.
WEIGHTS = [
    ("light", dict(noise="bell"), 1000, 1.0),
    ("scaled_2", dict(spread=0.0, correlation=0.8), 4000, 1.0),
    ("correlated", dict(correlation=0.9), 2000, 0.2),
    ("efficient", dict(correlation=0.9), 2000, 1.7),
    ("far", dict(center=-5000.0, correlation=0.9), 500, 0.8),
    ("huge", dict(center=5000.0, noise="heavy"), 500, 1.0),
    ("integers", dict(noise="integer"), 1000, 1.0),
    ("binary", dict(noise="binary"), 300, 1.0),
    ("draws_20", {}, 20, 1.0),
    ("draws_25", {}, 25, 1.0),
    ("draws_30", {}, 30, 1.0),
    ("draws_100", dict(correlation=0.95), 100, 0.5),
]

CHAIN_QUANTITIES = ["mean", "sd", "q5", "q50", "q95", "rhat", "rhat_basic", "ess_bulk", "ess_tail", "ess_mean",
                    "ess_sd", "ess_q10", "ess_q100", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "nested_1",
                    "nested_2", "khat", "khat_one_chain"]
WEIGHT_QUANTITIES = ["khat", "ess", "first", "largest", "tilted"]

# Of observation n: mu is a quarter of bell draws with correlation 0.6, y_n one of -1, 0, 1 for even n and 3 (n / N - 0.5)
# for odd n, the log likelihood -(y_n - mu_s)^2 scale_n / 2 with scale_n = 1 + 12 n / N; predictive draws are integers for
# even n (with ties), mu plus a bell for odd n.
LOO = dict(observations=12, chains=4, draws=250)


def loo_inputs():
    n_obs = LOO["observations"]
    mu = 0.25 * sample(dict(correlation=0.6), LOO["chains"], LOO["draws"], 77)
    noise_of = sample({}, LOO["chains"], LOO["draws"], 78)
    integers = sample(dict(noise="integer"), LOO["chains"], LOO["draws"], 79)
    y = np.array([3 * (n / n_obs - 0.5) if n % 2 else float(n % 3 - 1) for n in range(n_obs)])
    scale = np.array([1 + 12 * n / n_obs for n in range(n_obs)])
    log_lik = np.stack([-(y[n] - mu) * (y[n] - mu) * scale[n] / 2 for n in range(n_obs)])
    predictive = np.stack([mu + noise_of if n % 2 else integers for n in range(n_obs)])
    return y, log_lik, predictive


def write_array(folder, name, array):
    """Column-major for R: draws run fastest, then chains, then observations, as in memory here."""
    np.ascontiguousarray(array).tofile(folder / f"{name}.bin")


def run_r(jobs, folder):
    with open(folder / "jobs.csv", "w", newline="") as file:
        table = csv.DictWriter(file, ["kind", "name", "chains", "draws", "efficiency", "observations"])
        table.writeheader()
        table.writerows(jobs)
    subprocess.run(["Rscript", "--vanilla", str(HERE / "references.R"), str(folder)], check=True)
    results = {}
    for line in (folder / "results.txt").read_text().splitlines():
        name, quantity, value = line.split()
        results.setdefault(name, {})[quantity] = math.nan if value == "NA" else float(value)
    return results


def by_arviz(values):
    """What ArviZ defines as `posterior` does. It folds odd chains without their middle draws, sums one pair of lags more
    where chains are so short that Geyer's criterion is not met, and has another mcse of the sd."""
    result = {}
    chains, draws = values.shape
    if draws % 2 == 0 and chains > 1:
        result["rhat"] = array_stats.rhat(values, method="rank", chain_axis=0, draw_axis=1)
    if draws >= 16:
        for ours, method in [("ess_bulk", "bulk"), ("ess_mean", "mean"), ("ess_sd", "sd")]:
            result[ours] = array_stats.ess(values, method=method, chain_axis=0, draw_axis=1)
        result["ess_tail"] = array_stats.ess(values, method="tail", prob=(0.05, 0.95), chain_axis=0, draw_axis=1)
        result["mcse_mean"] = array_stats.mcse(values, method="mean", chain_axis=0, draw_axis=1)
        result["mcse_q50"] = array_stats.mcse(values, method="median", chain_axis=0, draw_axis=1)
    return result


def check_against_arviz(name, values, results):
    compared = 0
    for quantity, value in by_arviz(values).items():
        expected = results[quantity]
        if math.isnan(expected):  # R: an indicator is constant
            continue
        if not math.isclose(value, expected, rel_tol=1e-9):
            raise SystemExit(f"{name}: {quantity} is {expected} by posterior, {value} by ArviZ")
        compared += 1
    return compared


def number(value):
    if math.isnan(value):
        return "kNaN"
    if math.isinf(value):
        return "kInf" if value > 0 else "-kInf"
    return repr(value)


def recipe_text(recipe):
    full = RECIPE | recipe
    return ("{" + ", ".join(number(full[k]) for k in ("correlation", "center", "shift", "spread", "drift")) +
            f', "{full["noise"]}"' + "}")


def write_rows(file, header, rows):
    lines = ["// Written by tests/stats/make_references.py; do not edit.", f"// {header}"]
    (HERE / "data" / file).write_text("\n".join(lines + rows) + "\n")


def main():
    jobs, arrays, weights = [], {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed, (case, recipe, chains, draws) in enumerate(CHAINS, start=1):
            arrays[case] = sample(recipe, chains, draws, seed)
            write_array(folder, case, arrays[case])
            jobs.append(dict(kind="chains", name=case, chains=chains, draws=draws))
        for seed, (case, recipe, draws, efficiency) in enumerate(WEIGHTS, start=101):
            weights[case] = sample(recipe, 1, draws, seed)
            write_array(folder, "w_" + case, weights[case])
            jobs.append(dict(kind="weights", name="w_" + case, draws=draws, efficiency=efficiency))
        y, log_lik, predictive = loo_inputs()
        for part, array in [("y", y), ("log_lik", log_lik), ("predictive", predictive)]:
            write_array(folder, part, array)
        jobs.append(dict(kind="loo", name="loo") | LOO)
        results = run_r(jobs, folder)

    compared = sum(check_against_arviz(case, arrays[case], results[case]) for case, *_ in CHAINS)
    print(f"{compared} values agree with ArviZ")

    write_rows("chains.inc", "name, recipe, chains, draws, seed, " + ", ".join(CHAIN_QUANTITIES), [
        f'{{"{case}", {recipe_text(recipe)}, {chains}, {draws}, {seed}, '
        "{" + ", ".join(number(results[case][q]) for q in CHAIN_QUANTITIES) + "}},"
        for seed, (case, recipe, chains, draws) in enumerate(CHAINS, start=1)])
    write_rows("weights.inc", "name, recipe, draws, seed, relative efficiency, " + ", ".join(WEIGHT_QUANTITIES), [
        f'{{"{case}", {recipe_text(recipe)}, {draws}, {seed}, {efficiency}, '
        "{" + ", ".join(number(results["w_" + case][q]) for q in WEIGHT_QUANTITIES) + "}},"
        for seed, (case, recipe, draws, efficiency) in enumerate(WEIGHTS, start=101)])
    loo = results["loo"]
    write_rows("loo.inc", "elpd, elpd_se, p_loo, p_loo_se, difference to the model with half the log likelihood, its se;"
               " then elpd, khat, PIT of each observation",
               ["{" + ", ".join(number(loo[q]) for q in ("elpd", "elpd_se", "p_loo", "p_loo_se", "difference",
                                                          "difference_se")) + "},"] +
               ["{" + ", ".join(number(loo[f"{q}_{n}"]) for q in ("elpd", "khat", "pit")) + "},"
                for n in range(1, LOO["observations"] + 1)])


if __name__ == "__main__":
    main()
