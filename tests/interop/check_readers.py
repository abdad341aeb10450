#!/usr/bin/env python3
"""tests/interop/check_readers.py CACHE_FOLDER [PACKAGE...]: opens fits by every method with CmdStanPy and ArviZ, and with rstan where
R has it, and compares values with those of the CSV files.

Makes a virtual environment in CACHE_FOLDER and installs arviz and cmdstanpy there with pip, which needs a network: therefore it is no
part of `make test`. PACKAGE replaces these, such as "cmdstanpy==1.2.5" "arviz<1" netcdf4. The program is $KULLBACK, or build/kullback.
Exit code 0 when all readers agree to the last bit (rstan: to its 15 digits).
"""
import csv
import hashlib
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
KULLBACK = os.environ.get("KULLBACK", str(ROOT / "build" / "kullback"))
PACKAGES = ["arviz<1", "cmdstanpy", "netcdf4"]
METHODS = ["nuts", "hmc", "rwm", "mala", "tempering", "laplace", "pathfinder", "advi", "fullrank", "vi", "lowrank", "flow", "iw", "smc",
           "optimize"]
NEEDS_1_3 = {"hmc", "rwm", "mala", "tempering"}  # CmdStanPy before wants divergent__ of all samplers, CmdStan's static HMC too
# What CmdStanPy makes of a file; of all other methods a sample.
KINDS = {"laplace": "CmdStanLaplace", "pathfinder": "CmdStanPathfinder", "optimize": "CmdStanMLE",
         **dict.fromkeys(["advi", "fullrank", "vi", "lowrank", "flow", "iw"], "CmdStanVB")}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    packages = sys.argv[2:] or PACKAGES
    home = pathlib.Path(sys.argv[1]).resolve() / ("readers-" + hashlib.sha1(" ".join(packages).encode()).hexdigest()[:8])
    if pathlib.Path(sys.prefix) != home:
        if not (home / "installed").exists():
            venv.create(home, with_pip=True, clear=True)
            subprocess.run([home / "bin/python", "-m", "pip", "install", "--quiet", *packages], check=True)
            (home / "installed").touch()
        sys.exit(subprocess.run([home / "bin/python", __file__, *sys.argv[1:]]).returncode)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    import cmdstanpy

    print("CmdStanPy", cmdstanpy.__version__)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        version = tuple(int(part) for part in cmdstanpy.__version__.split(".")[:2])
        for name, options in fits():
            if version >= (1, 3) or name not in NEEDS_1_3:
                check(name, fit(name, options))


def fits():
    """By every method; by those with a density also with weights, and the ladder, which ends at weighted draws."""
    for method in METHODS:
        yield method, ["--method", method]
    for method in ("laplace", "advi", "pathfinder", "flow"):
        yield f"{method}-certified", ["--method", method, "--tolerance", "0.3"]
    yield "ladder", ["--tolerance", "0.1"]


def fit(name, options):
    example = ROOT / "examples" / ("logistic" if name.endswith(("ladder", "certified")) else "eight_schools")
    done = subprocess.run([KULLBACK, "fit", f"{example}.stan", f"{example}.json", *options, "--seed", "1", "--quiet", "--out", name],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{name}: {done.stderr}")
    return pathlib.Path(name)


def read_csv(path):
    """The columns of a Stan CSV file, by name; the mean that ADVI writes first is left out."""
    text = path.read_text()
    rows = list(csv.reader(line for line in text.splitlines() if line and not line.startswith("#")))
    if "# method = variational" in text:
        del rows[1]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def element(array, indices):
    """array[chain, draw, i, j, ...] of a column such as L.2.1, for all chains and draws."""
    return array[(slice(None), slice(None), *(int(i) - 1 for i in indices))]


def check(name, folder):
    files = sorted(folder.glob("chain-*.csv"), key=lambda path: int(path.stem.split("-")[1]))
    chains = [read_csv(path) for path in files]
    is_weighted = (folder / "weighted.csv").exists()
    if is_weighted:
        check_weights(read_csv(folder / "weighted.csv"), chains[0])
    kind = check_cmdstanpy(files, chains)
    expected = "CmdStanMCMC" if is_weighted else KINDS.get(name.split("-")[0], "CmdStanMCMC")
    if kind != expected:
        sys.exit(f"{name}: CmdStanPy makes a {kind} of it; needed a {expected}")
    said = [kind]
    if kind == "CmdStanMCMC":
        check_arviz_csv(files, chains)
        said.append("arviz.from_cmdstan")
        if check_rstan(files, chains):
            said.append("rstan")
    said.append(check_netcdf(folder / "posterior.nc", chains, is_weighted))
    print(f"{name}{', weighted' if is_weighted else ''}: {', '.join(said)}")


def check_weights(weighted, equal):
    """Means of equally weighted draws are those by the weights."""
    import numpy

    weights = numpy.exp(numpy.array(weighted["log_weight__"]))
    for name, values in weighted.items():
        if name.endswith("__") or numpy.ptp(values) == 0:
            continue
        mean, sd = numpy.average(values, weights=weights), numpy.std(values)
        if abs(numpy.mean(equal[name]) - mean) > 0.02 * sd:
            sys.exit(f"{name}: the mean is {numpy.mean(equal[name])}; by the weights {mean}")


def expect_equal(found, expected, what):
    import numpy

    if not numpy.array_equal(numpy.asarray(found), numpy.asarray(expected), equal_nan=True):
        sys.exit(f"{what}: the values are not those of the CSV files")


def check_cmdstanpy(files, chains):
    import cmdstanpy

    fit = cmdstanpy.from_csv([str(path) for path in files])
    kind = type(fit).__name__
    columns = list(chains[0].values())
    if kind == "CmdStanMCMC":
        draws = fit.draws()
        for i, name in enumerate(chains[0]):
            expect_equal(draws[:, :, i].T, [chain[name] for chain in chains], f"cmdstanpy: {name}")
        if "divergent__" in chains[0]:
            fit.step_size, fit.metric_type, fit.divergences
    elif kind == "CmdStanMLE":
        expect_equal(list(fit.optimized_params_dict.values()), [values[0] for values in columns], "cmdstanpy")
    elif kind == "CmdStanVB":
        expect_equal(fit.variational_sample.T, columns, "cmdstanpy")
    else:
        expect_equal(fit.draws().T, columns, "cmdstanpy")
    if kind == "CmdStanLaplace":
        mode = read_csv(files[0].parent / "mode.csv")
        expect_equal(list(fit.mode.optimized_params_dict.values()), [values[0] for values in mode.values()], "cmdstanpy: mode")
    return kind


def check_arviz_csv(files, chains):
    import arviz

    data = arviz.from_cmdstan([str(path) for path in files])
    for name in chains[0]:
        if name.endswith("__"):
            continue
        base, *indices = name.split(".")
        group = data.log_likelihood if base.startswith("log_lik") else data.posterior
        expect_equal(element(group[base].values, indices), [chain[name] for chain in chains], f"arviz csv: {name}")


RSTAN = """suppressMessages(library(rstan)); fit <- read_stan_csv(commandArgs(TRUE)); draws <- as.array(fit)
for (name in dimnames(draws)$parameters) cat(name, format(c(draws[, , name]), digits = 15), sep = " ", fill = FALSE, "\\n")"""


def check_rstan(files, chains):
    """False where R has no rstan, or the fit no lp__ (which rstan needs) or generated names that it does not take apart."""
    import numpy

    if shutil.which("Rscript") is None or subprocess.run(["Rscript", "-e", "library(rstan)"], capture_output=True).returncode:
        return False
    done = subprocess.run(["Rscript", "-e", RSTAN, *map(str, files)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{files[0].parent}: rstan: {done.stderr}")
    for line in done.stdout.splitlines():
        name, *values = line.split()
        ours = name.replace("[", ".").replace(",", ".").rstrip("]")
        expected = [value for chain in chains for value in chain[ours]]
        if not numpy.allclose([float(value) for value in values], expected, rtol=1e-13, atol=0, equal_nan=True):
            sys.exit(f"rstan: {name}: the values are not those of the CSV files")
    return bool(done.stdout)


STATS = {
    "lp__": "lp",
    "log_p__": "lp",
    "lp_approx__": "lp_approx",
    "log_q__": "lp_approx",
    "log_g__": "lp_approx",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}


def check_netcdf(path, chains, is_weighted):
    import arviz

    data = arviz.from_netcdf(path)
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
    if is_weighted != ("approximation" in data.groups()):
        sys.exit(f"{path}: the group 'approximation' belongs to draws with weights only")
    if "y" not in data.observed_data:
        sys.exit(f"{path}: observed_data has no y")
    arviz.summary(data)
    return f"netCDF with {found} columns"


if __name__ == "__main__":
    main()
