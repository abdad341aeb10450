#!/usr/bin/env python3
"""The Gaussian mixture against scikit-learn's BayesianGaussianMixture: same data, hyperparameters and number of iterations.

  bench/mixture.py                      100,000 rows, 20 columns, 20 components, full covariances
  bench/mixture.py --tables rows        time of a pass for 10,000 to 1,000,000 rows
  bench/mixture.py --rows 20000 --covariance tied

scikit-learn is installed from PyPI into a virtual environment (--venv), where the comparison runs; nothing else is changed. Needs
'KULLBACK_BENCH=ON tools/build.sh release kullback mixture_bench'. Columns: seconds of one iteration (the least of them), seconds
until the bound per row rises by less than --tolerance in an iteration (start included), and the log likelihood per row of as many
new rows of the means, covariances and weights of each, by one evaluator (src/conjugate/mixture/plug_in.hpp). The exit code is 1
where we are not 5 times faster per iteration, or worse by more than 0.001 nat per row.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[1]
FASTER = 5.0
WORSE = 1e-3
ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build/bench/mixture_bench")
    parser.add_argument("--venv", type=pathlib.Path, default=pathlib.Path.home() / ".cache/kullback-bench/scikit-learn")
    parser.add_argument("--tables", nargs="+", choices=["scikit-learn", "rows"], default=["scikit-learn", "rows"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--covariance", choices=["full", "tied", "diagonal", "spherical"], default="full")
    parser.add_argument("--iterations", type=int, default=20, help="at most, of both")
    parser.add_argument("--tolerance", type=float, default=1e-6, help="nats per row")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def enter_venv(options):
    """Goes on in the virtual environment, which is made where it does not exist."""
    python = options.venv / "bin/python"
    if pathlib.Path(sys.prefix).resolve() == options.venv.resolve():
        return
    if not python.exists():
        venv.create(options.venv, with_pip=True)
    if subprocess.run([python, "-c", "import sklearn"], stderr=subprocess.DEVNULL).returncode != 0:
        subprocess.run([options.venv / "bin/pip", "install", "--quiet", "scikit-learn"], check=True)
    threads = str(options.threads)
    os.execve(python, [str(python), *sys.argv],
              {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads})


def simulate(rows, options):
    import numpy as np
    random = np.random.default_rng(options.seed)
    means = 1.5 * random.standard_normal((options.components, options.columns))
    factors = 0.4 * random.standard_normal((options.components, options.columns, options.columns))
    labels = random.integers(options.components, size=rows)
    noise = random.standard_normal((rows, options.columns))
    cells = means[labels] + noise
    for k in range(options.components):
        cells[labels == k] += random.standard_normal((int((labels == k).sum()), options.columns)) @ factors[k].T
    return cells


def ours(options, data, out, iterations):
    """Seconds of each pass, of all, and the trace of the bound per row."""
    begin = time.perf_counter()
    subprocess.run([options.kullback, "mixture", data, "--components", str(options.components), "--covariance",
                    options.covariance, "--method", "cavi", "--passes", str(iterations), "--seed", str(options.seed),
                    "--threads", str(options.threads), "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    whole = time.perf_counter() - begin
    with open(out / "trace.csv", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    seconds = [b["seconds"] - a["seconds"] for a, b in zip(rows, rows[1:])]
    return seconds, whole, rows


def our_parameters(options, out):
    import numpy as np
    with open(out / "components.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    weights = [float(row["weight"]) for row in rows]
    means = [[float(v) for key, v in row.items() if key.startswith("mean_") and key != "mean_precision"] for row in rows]
    columns = len(means[0])
    if options.covariance in ("full", "tied"):
        with open(out / "covariances.csv", newline="") as file:
            cells = np.array([[float(v) for v in row[1:]] for row in list(csv.reader(file))[1:]])
        covariances = cells.reshape(-1, columns, columns)
    else:
        variances = np.array([[float(v) for key, v in row.items() if key.startswith("variance")] for row in rows])
        covariances = np.array([np.eye(columns) * v for v in variances])
    return weights, means, spread(covariances, options)


def spread(covariances, options):
    import numpy as np
    return np.broadcast_to(covariances, (options.components, *covariances.shape[-2:]))


def scikit_learn(options, data, iterations):
    """The same for scikit-learn, whose loop is run here so that iterations can be timed."""
    import numpy as np
    from sklearn.mixture import BayesianGaussianMixture
    kinds = {"full": "full", "tied": "tied", "diagonal": "diag", "spherical": "spherical"}
    model = BayesianGaussianMixture(n_components=options.components, covariance_type=kinds[options.covariance],
                                    weight_concentration_prior_type="dirichlet_distribution")
    begin = time.perf_counter()
    model._check_parameters(data)
    model._initialize_parameters(data, np.random.RandomState(options.seed))
    seconds, bounds, whole = [], [], None
    for _ in range(iterations):
        start = time.perf_counter()
        log_prob, log_resp = model._e_step(data)
        model._m_step(data, log_resp)
        bounds.append(float(np.sum(model._compute_lower_bound(log_resp, log_prob))) / len(data))
        seconds.append(time.perf_counter() - start)
        if whole is None and len(bounds) > 1 and bounds[-1] - bounds[-2] < options.tolerance:
            whole = time.perf_counter() - begin
    model._set_parameters(model._get_parameters())
    covariances = model.covariances_
    if options.covariance == "diagonal":
        covariances = np.array([np.diag(row) for row in covariances])
    if options.covariance == "spherical":
        covariances = np.array([np.eye(options.columns) * v for v in covariances])
    return seconds, whole, (model.weights_, model.means_, spread(covariances, options))


def evaluate(options, parameters, held_out, folder):
    import numpy as np
    file = folder / "parameters.bin"
    file.write_bytes(b"".join(np.ascontiguousarray(part, dtype=float).tobytes() for part in parameters))
    result = subprocess.run([options.bench, "evaluate", file, held_out, str(options.components), str(options.columns)],
                            check=True, stdout=subprocess.PIPE, text=True)
    return float(result.stdout)


def time_to_tolerance(rows, count, tolerance):
    for before, after in zip(rows, rows[1:]):
        if (after["elbo"] - before["elbo"]) / count < tolerance:
            return after["seconds"]
    return None


def show(value):
    return "more" if value is None else f"{value:.3g}"


def compare(options, folder):
    import numpy as np
    both = simulate(2 * options.rows, options)
    data, held_out = np.ascontiguousarray(both[:options.rows]), both[options.rows:]
    np.save(folder / "data.npy", data)
    (folder / "held_out.bin").write_bytes(np.ascontiguousarray(held_out).tobytes())
    seconds, _, trace = ours(options, folder / "data.npy", folder / "ours", options.iterations)
    quality = evaluate(options, our_parameters(options, folder / "ours"), folder / "held_out.bin", folder)
    their_seconds, their_whole, parameters = scikit_learn(options, data, options.iterations)
    their_quality = evaluate(options, parameters, folder / "held_out.bin", folder)
    ratio = min(their_seconds) / min(seconds)
    print(f"{options.rows} x {options.columns}, {options.components} components, {options.covariance}, {options.threads} threads")
    print("| | iteration, s | to tolerance, s | held-out log likelihood per row |\n|---|---|---|---|")
    print(f"| kullback | {min(seconds):.4f} | {show(time_to_tolerance(trace, options.rows, options.tolerance))} | {quality:.4f} |")
    print(f"| scikit-learn | {min(their_seconds):.4f} | {show(their_whole)} | {their_quality:.4f} |")
    print(f"{ratio:.1f} times faster per iteration", flush=True)
    return ratio >= FASTER and quality >= their_quality - WORSE


def linear_cost(options, folder):
    import numpy as np
    print("| rows | seconds of a pass | per million rows |\n|---|---|---|")
    for rows in ROWS:
        np.save(folder / "rows.npy", simulate(rows, options))
        seconds, _, _ = ours(options, folder / "rows.npy", folder / f"rows-{rows}", 6)
        print(f"| {rows:,} | {min(seconds):.4f} | {min(seconds) / rows * 1e6:.3f} |", flush=True)


def main():
    options = arguments()
    enter_venv(options)
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "scikit-learn" in options.tables:
            good = compare(options, folder)
        if "rows" in options.tables:
            linear_cost(options, folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
