#!/usr/bin/env python3
"""tests/interop/check_readers.py FIT_FOLDER CACHE_FOLDER: opens a fit with ArviZ and CmdStanPy and compares values.

Makes a virtual environment in CACHE_FOLDER and installs arviz and cmdstanpy there with pip, which needs a network:
therefore it is no part of `make test`. Exit code 0 when all readers agree to the last bit.
"""
import csv
import pathlib
import subprocess
import sys
import venv

PACKAGES = ["arviz<1", "cmdstanpy", "netcdf4"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    fit, cache = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    python = cache / "readers" / "bin" / "python"
    if pathlib.Path(sys.prefix) != cache / "readers":
        if not (cache / "readers" / "installed").exists():
            venv.create(cache / "readers", with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
            (cache / "readers" / "installed").touch()
        sys.exit(subprocess.run([python, __file__, fit, cache]).returncode)
    check(fit)


def read_csv(path):
    """The columns of a Stan CSV file, by name; the mean that ADVI writes first is left out."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    rows = list(csv.reader(lines))
    if "log_g__" in rows[0]:
        del rows[1]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def element(array, indices):
    """array[chain, draw, i, j, ...] of a column such as L.2.1, for all chains and draws."""
    return array[(slice(None), slice(None), *(int(i) - 1 for i in indices))]


def check(fit):
    files = sorted(fit.glob("chain-*.csv"), key=lambda path: int(path.stem.split("-")[1]))
    if not files:
        sys.exit(f"{fit}: there is no chain-1.csv")
    chains = [read_csv(path) for path in files]
    check_cmdstanpy(files, chains)
    # ArviZ does not know names of tuples, nor that ADVI's first row is no draw.
    if not any(":" in name or name == "log_g__" for name in chains[0]):
        check_arviz_csv(files, chains)
    if (fit / "posterior.nc").exists():
        check_netcdf(fit / "posterior.nc", chains)


def expect_equal(found, expected, what):
    import numpy

    if not numpy.array_equal(numpy.asarray(found), numpy.asarray(expected), equal_nan=True):
        sys.exit(f"{what}: the values are not those of the CSV files")


def check_cmdstanpy(files, chains):
    import cmdstanpy

    try:
        fit = cmdstanpy.from_csv([str(path) for path in files])
    except ValueError as error:
        # CmdStan's Laplace begins at the file of an optimisation, and its reader wants to open that too.
        if "laplace" not in files[0].read_text().split("lp__")[0].split("log_p__")[0]:
            raise
        print(f"cmdstanpy: no reader without a file of the mode ({error})")
        return
    if isinstance(fit, cmdstanpy.CmdStanMCMC):
        draws = fit.draws()
        for i, name in enumerate(chains[0]):
            expect_equal(draws[:, :, i].T, [chain[name] for chain in chains], f"cmdstanpy: {name}")
        names = fit.column_names
        if "divergent__" in chains[0]:
            print("cmdstanpy: step sizes", fit.step_size, "metric", fit.metric_type, "divergences", fit.divergences)
    elif isinstance(fit, cmdstanpy.CmdStanMLE):
        names = fit.column_names
        expect_equal(list(fit.optimized_params_dict.values()), [c[0] for c in chains[0].values()], "cmdstanpy")
    elif isinstance(fit, cmdstanpy.CmdStanVB):
        names = fit.column_names
        expect_equal(fit.variational_sample.T, list(chains[0].values()), "cmdstanpy")
    else:
        names = fit.column_names
        expect_equal(fit.draws().T, list(chains[0].values()), "cmdstanpy")
    print(f"cmdstanpy: {type(fit).__name__} with {len(names)} columns agrees")


def check_arviz_csv(files, chains):
    import arviz

    data = arviz.from_cmdstan([str(path) for path in files])
    for name in chains[0]:
        if name.endswith("__"):
            continue
        base, *indices = name.split(".")
        group = data.log_likelihood if base.startswith("log_lik") else data.posterior
        expect_equal(element(group[base].values, indices), [chain[name] for chain in chains], f"arviz csv: {name}")
    print("arviz.from_cmdstan agrees")


STATS = {
    "lp__": "lp",
    "log_p__": "lp",
    "lp_approx__": "lp_approx",
    "log_q__": "lp_approx",
    "log_g__": "lp_approx",
    "log_weight__": "log_weight",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}


def check_netcdf(path, chains):
    import arviz

    data = arviz.from_netcdf(path)
    print("netCDF groups:", ", ".join(data.groups()))
    groups = [data[name] for name in data.groups() if name in ("posterior", "log_likelihood", "posterior_predictive")]
    draws = min(len(next(iter(chain.values()))) for chain in chains)
    found = 0
    for name in chains[0]:
        expected = [chain[name][:draws] for chain in chains]
        if name.endswith("__"):
            is_always_zero = name == "lp__" and "log_g__" in chains[0]
            if name in STATS and not is_always_zero:
                expect_equal(data.sample_stats[STATS[name]].values, expected, f"netCDF: {name}")
            continue
        base, *indices = name.rsplit(":", 1)[-1].split(".")
        base = name[: len(name) - len(name.rsplit(":", 1)[-1])] + base
        for group in groups:
            if name in group:
                base, indices = name, []
            if base in group:
                expect_equal(element(group[base].values, indices), expected, f"netCDF: {name}")
                found += 1
                break
        else:
            sys.exit(f"netCDF: {name} is in no group")
    if "diverging" in data.sample_stats and data.sample_stats["diverging"].dtype != bool:
        sys.exit("netCDF: diverging must be bool")
    print(f"netCDF: {found} columns agree")
    print("attributes:", dict(data.posterior.attrs))
    print(arviz.summary(data, round_to=4))


if __name__ == "__main__":
    main()
