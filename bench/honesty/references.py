"""References: NUTS in pieces, until every marginal has 1e5 effective draws. Only moments and quartiles are kept.

A piece is a fit of four chains. Its draws are reduced to sums of batches and quartiles of chains, and deleted. Standard
errors of mean and sd are by batch means, those of median and interquartile range by the spread of the chains' own.
"""
import dataclasses
import json
import math
import operator
import pathlib
import shutil
import statistics
import tempfile

from rivals import fits

CHAINS, DRAWS, BATCHES = 4, 10000, 10
WANTED_ESS = 1e5
LARGEST_RHAT = 1.005
HOPELESS_RHAT = 1.2  # of four pieces: chains stay in different modes
MOST_PIECES = 60


@dataclasses.dataclass
class Marginal:
    """`se_*` are standard errors of the reference; all zero where it is exact."""
    mean: float
    sd: float
    median: float
    iqr: float
    se_mean: float = 0.0
    se_sd: float = 0.0
    se_median: float = 0.0
    se_iqr: float = 0.0


class Unfinished(Exception):
    """NUTS did not get there: no reference."""


# --- one piece --------------------------------------------------------------------------------------------------------

def sample(kullback, program, data, words, timeout):
    """Column to the reduced chains of one fit, with what the fit says of itself."""
    with tempfile.TemporaryDirectory(prefix="kullback-honesty-") as folder:
        out = pathlib.Path(folder) / "fit"
        command = [kullback, "fit", program, *([data] if data else []), "--method", "nuts", "--chains", CHAINS, "--draws", DRAWS,
                   "--threads", 1, "--out", out, "--quiet", *words]
        fits.run(command, timeout)
        summary = {row["name"]: row for row in json.loads((out / "summary.json").read_text())["parameters"]}
        record = json.loads((out / "run.json").read_text())
        (out / "posterior.nc").unlink(missing_ok=True)
        chains, divergences = [], 0
        for path in sorted(out.glob("chain-*.csv")):
            columns = read_columns(path)
            divergences += sum(columns.pop("divergent__"))
            chains.append({name: reduce(column) for name, column in columns.items() if not name.endswith("__")})
            path.unlink()
    marginals = {name: {"chains": [chain[name] for chain in chains],
                        "ess": min(efficiency(summary[name], key) for key in ("ess_bulk", "ess_tail"))} for name in chains[0]}
    return {"marginals": marginals, "divergences": divergences, "gradients": record["gradients"], "seconds": record["seconds"]}


def efficiency(row, key):
    """Infinite for a constant, whose ESS is not a number."""
    return fits.number(row[key]) if key in row and not math.isnan(fits.number(row[key])) else 1e300


def read_columns(path):
    with path.open() as file:
        lines = (line for line in file if not line.startswith("#"))
        names = [bracketed(name) for name in next(lines).strip().split(",")]
        return dict(zip(names, zip(*(tuple(map(float, line.split(","))) for line in lines))))


def bracketed(name):
    """theta.1.2 of the CSV file is theta[1,2] of the summary."""
    variable, *indices = name.split(".")
    return f"{variable}[{','.join(indices)}]" if indices else name


def reduce(column):
    """For each batch the mean and mean square about the chain's mean; the variance of squares; quartiles."""
    mean, length = math.fsum(column) / len(column), len(column) // BATCHES
    deviations = [x - mean for x in column]
    squares = list(map(operator.mul, deviations, deviations))
    starts = range(0, BATCHES * length, length)
    batches = [(sum(deviations[k:k + length]) / length, sum(squares[k:k + length]) / length) for k in starts]
    variance = sum(squares) / len(squares)
    fourth = sum(map(operator.mul, squares, squares)) / len(squares)
    return {"mean": mean, "batches": batches, "variance_of_squares": fourth - variance ** 2,
            "quartiles": statistics.quantiles(column, n=4)}


# --- all pieces -------------------------------------------------------------------------------------------------------

def standard_error(values):
    return statistics.stdev(values) / math.sqrt(len(values))


def combine(pieces):
    """The marginal, its effective draws (the fewest of mean, sd, bulk and tail) and R-hat of half chains."""
    chains = [chain for piece in pieces for chain in piece["chains"]]
    centre = statistics.fmean(chain["mean"] for chain in chains)
    batches = [[about(chain["mean"] - centre, *batch) for batch in chain["batches"]] for chain in chains]
    firsts, seconds = ([batch[k] for chain in batches for batch in chain] for k in (0, 1))
    variance = statistics.fmean(seconds)
    if variance <= 1e-24 * centre * centre:
        return Marginal(centre, 0.0, centre, 0.0), math.inf, 1.0
    medians, iqrs = zip(*((chain["quartiles"][1], chain["quartiles"][2] - chain["quartiles"][0]) for chain in chains))
    sd, se_mean, se_variance = math.sqrt(variance), standard_error(firsts), standard_error(seconds)
    found = Marginal(centre, sd, statistics.fmean(medians), statistics.fmean(iqrs), se_mean, se_variance / (2 * sd),
                     standard_error(medians), standard_error(iqrs))
    spread_of_squares = statistics.fmean(chain["variance_of_squares"] for chain in chains)
    ess = min(variance / se_mean ** 2, spread_of_squares / se_variance ** 2, math.fsum(piece["ess"] for piece in pieces))
    return found, ess, r_hat(batches)


def about(shift, first, second):
    """Moments of a batch about a point that is `shift` further down."""
    return first + shift, second + 2 * shift * first + shift * shift


def r_hat(batches):
    """Split R-hat from batches of chains."""
    half = BATCHES // 2
    halves = [part for chain in batches for part in (chain[:half], chain[half:])]
    means = [statistics.fmean(first for first, _ in part) for part in halves]
    variances = [statistics.fmean(second for _, second in part) - mean ** 2 for part, mean in zip(halves, means)]
    return math.sqrt(1 + statistics.variance(means) / statistics.fmean(variances))


def summarise(pieces):
    rows = {name: combine([piece["marginals"][name] for piece in pieces]) for name in pieces[0]["marginals"]}
    return {"parameters": {name: dataclasses.asdict(row[0]) for name, row in rows.items()},
            "ess": min(row[1] for row in rows.values()), "ess_name": min(rows, key=lambda name: rows[name][1]),
            "rhat": max(row[2] for row in rows.values()), "draws": len(pieces) * CHAINS * DRAWS,
            **{key: sum(piece[key] for piece in pieces) for key in ("divergences", "gradients", "seconds")}}


def compute(kullback, program, data, kept, timeout):
    """Writes `kept`; pieces that an interrupted run left beside it are used."""
    folder = kept.with_suffix(".pieces")
    folder.mkdir(parents=True, exist_ok=True)
    pieces = []
    while len(pieces) < MOST_PIECES:
        path = folder / f"{len(pieces) + 1}.json"
        if not path.exists():
            words = ["--seed", 1000 + len(pieces), *program.sampler_options]
            write_whole(path, sample(kullback, program.reference_path, data, words, timeout))
        pieces.append(json.loads(path.read_text()))
        found = summarise(pieces) if len(pieces) > 1 else None
        if found and found["ess"] >= WANTED_ESS and found["rhat"] < LARGEST_RHAT:
            write_whole(kept, found)
            shutil.rmtree(folder)
            return found
        if found and found["rhat"] > HOPELESS_RHAT and len(pieces) >= 4:
            break
    raise Unfinished(f"{program.name}: {found['draws']} draws of NUTS are worth {found['ess']:.0f} ({found['ess_name']}), R-hat "
                     f"{found['rhat']:.4f}; {WANTED_ESS:.0f} and {LARGEST_RHAT} are needed")


def write_whole(path, value):
    """The file has its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(json.dumps(value))
    beside.replace(path)
