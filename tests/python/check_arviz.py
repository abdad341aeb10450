#!/usr/bin/env python3
"""tests/python/check_arviz.py CACHE_FOLDER [PACKAGE...]: summaries and plots of the newest ArviZ on to_arviz(), for NUTS and VI.

Makes a virtual environment of this Python in CACHE_FOLDER and installs ArviZ there with pip, which needs a network: therefore it
is no part of `make test`. PACKAGE replaces "arviz", such as "arviz>=1" where this Python is new enough for it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import venv
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = (ROOT / "examples/eight_schools.stan").read_text().replace(
    "generated quantities {", "generated quantities {\n  vector[J] y_rep = to_vector(normal_rng(theta, sigma));")
SCHOOLS = {"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}
GROUPS = {"posterior", "sample_stats", "log_likelihood", "posterior_predictive", "observed_data", "constant_data"}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    home = pathlib.Path(sys.argv[1]).resolve() / "arviz"
    if pathlib.Path(sys.prefix) != home:
        if not (home / "installed").exists():
            venv.create(home, with_pip=True, clear=True)
            packages = sys.argv[2:] or ["arviz"]
            subprocess.run([home / "bin/python", "-m", "pip", "install", "--quiet", *packages, "matplotlib", "h5netcdf", "h5py"], check=True)
            (home / "installed").touch()
        sys.exit(subprocess.run([home / "bin/python", __file__, *sys.argv[1:]]).returncode)
    sys.path.insert(0, str(ROOT / "python"))
    os.environ["MPLBACKEND"] = "agg"
    check()


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def group_names(data):
    return set(data.groups()) if callable(data.groups) else {path.strip("/") for path in data.groups} - {""}


def check():
    import arviz as az
    import numpy as np

    import kullback as kb

    print(f"ArviZ {az.__version__}, Python {sys.version.split()[0]}")
    nuts = kb.fit(PROGRAM, SCHOOLS, method="nuts", seed=1)
    advi = kb.fit(PROGRAM, SCHOOLS, method="advi", tolerance=0.5, seed=1)
    data = nuts.to_arviz()
    print(f"to_arviz() is {type(data).__module__}.{type(data).__name__}")
    expect(group_names(data) == GROUPS, f"groups of NUTS: {sorted(group_names(data))}")
    expect(data["posterior"]["theta"].dims == ("chain", "draw", "theta_dim_0"), "dimensions")
    expect(np.array_equal(data["posterior"]["theta"].values, nuts.draws("theta")), "draws are those of the fit")
    expect(data["sample_stats"]["diverging"].dtype == bool, "sample_stats has diverging")
    expect(np.array_equal(data["observed_data"]["y"].values, SCHOOLS["y"]), "observed_data has y")
    expect(set(data["constant_data"].data_vars) == {"J", "sigma"}, "constant_data has the others")
    check_summary(az, np, nuts, data)

    groups = advi.to_arviz()
    expect(group_names(groups) == GROUPS | {"approximation"}, f"groups of VI: {sorted(group_names(groups))}")
    q = groups["approximation"]
    expect(np.array_equal(q["log_q"].values, advi.stat("log_q")), "log_q of the draws")
    expect(np.array_equal(q["log_p"].values, advi.stat("lp__")), "log_p of the draws")
    expect(np.isfinite(float(q.attrs["elbo"])), f"ELBO {q.attrs['elbo']}")
    expect(q.attrs["verdict"] == advi.certificate.verdict, f"certificate: {q.attrs['verdict']}")
    check_summary(az, np, advi, groups)

    for name, drawn in (("NUTS", data), ("VI", groups)):
        plot(az, name, drawn)
    check_folder(kb, np, nuts)
    check_weights(az, kb, np)


def check_summary(az, np, fit, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = az.summary(data, var_names=["mu", "tau", "theta"], round_to="none")
    mean = float(table.loc["theta[0]", "mean"])
    expect(abs(mean - fit["theta"][:, 0].mean()) < 1e-9, f"az.summary of {fit.method}: theta[0] {mean:.3f}")
    if "r_hat" in table and fit.chains > 1:
        ours = fit.summary().row("theta[1]")["rhat"]
        expect(abs(float(table.loc["theta[0]", "r_hat"]) - ours) < 1e-6, "R-hat is ArviZ's")


def plot(az, name, data):
    names = ["plot_posterior", "plot_trace", "plot_forest", "plot_pair", "plot_autocorr", "plot_rank", "plot_ess"]
    if int(az.__version__.partition(".")[0]) >= 1:
        names = ["plot_dist", "plot_trace_dist", "plot_forest", "plot_pair", "plot_autocorr", "plot_rank", "plot_ess"]
    if data["posterior"].sizes["chain"] == 1:
        names.remove("plot_rank")  # compares chains
    for function in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(az, function)(data, var_names=["mu", "tau"])
        expect(True, f"az.{function} of {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if int(az.__version__.partition(".")[0]) < 1:
            az.plot_ppc(data, data_pairs={"y": "y_rep"}, num_pp_samples=20)
            expect(True, f"az.plot_ppc of {name}")
    loo = az.loo(data)
    value = loo.elpd_loo if hasattr(loo, "elpd_loo") else loo.elpd
    expect(-40 < float(value) < -25, f"az.loo of {name}: {float(value):.2f}")
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


def check_folder(kb, np, fit):
    with tempfile.TemporaryDirectory() as scratch:
        loaded = kb.load(fit.save(pathlib.Path(scratch, "fit"))).to_arviz()
        expect(group_names(loaded) == GROUPS, "a folder that is loaded has the same groups, data too")
        expect(np.array_equal(loaded["posterior"]["theta"].values, fit.draws("theta")), "and the same draws")


def check_weights(az, kb, np):
    """Means of a fit whose draws have weights, as ArviZ finds them in to_arviz() and in posterior.nc."""
    fit = kb.fit(ROOT / "examples/logistic.stan", ROOT / "examples/logistic.json", tolerance=0.1, seed=1)
    expect(fit.weights is not None, "the fit has weights")
    ours = fit.summary().row("beta[1]")
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = fit.save(pathlib.Path(scratch, "fit"))
        for what, data in (("to_arviz", fit.to_arviz()), ("posterior.nc", az.from_netcdf(folder + "/posterior.nc"))):
            row = az.summary(data, var_names=["beta"], round_to="none").loc["beta[0]"]
            expect(abs(float(row["mean"]) - ours["mean"]) < 0.02 * ours["sd"], f"mean of {what}: {float(row['mean']):.4f}, {ours['mean']:.4f} by weights")
            expect(abs(float(row["sd"]) / ours["sd"] - 1) < 0.02, f"sd of {what}: {float(row['sd']):.4f}, {ours['sd']:.4f} by weights")
            expect(np.array_equal(data["posterior"]["beta"].values[0], fit["beta"]), "the draws are those of fit['beta']")
            expect(np.array_equal(data["approximation"]["log_weight"].values, fit.stat("log_weight")), "the weights are in `approximation`")


if __name__ == "__main__":
    main()
