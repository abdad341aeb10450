"""Moments of posteriordb's reference draws and their own error: ten chains of a thousand, thinned to be nearly independent."""
import json
import math
import zipfile
from dataclasses import asdict, dataclass


@dataclass
class Moments:
    mean: float
    sd: float
    mcse_mean: float
    mcse_sd: float


def read(archive, folder):
    """Name of a marginal to its moments, which are kept in `folder`."""
    kept = folder / f"{archive.name.removesuffix('.zip')}"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({name: asdict(found) for name, found in compute(archive).items()}))
    return {name: Moments(**found) for name, found in json.loads(kept.read_text()).items()}


def compute(archive):
    return {name: moments(chains) for name, chains in chains_by_name(archive).items()}


def chains_by_name(archive):
    with zipfile.ZipFile(archive) as packed:
        chains = json.loads(packed.read(packed.namelist()[0]))
    return {name: [chain[name] for chain in chains] for name in chains[0]}


def moments(chains):
    mean, sd, error = mean_sd_error(chains)
    # d sd = d variance / (2 sd)
    squares = [[(x - mean) ** 2 for x in chain] for chain in chains]
    return Moments(mean, sd, error, mean_sd_error(squares)[2] / (2 * sd) if sd > 0 else 0.0)


def mean_sd_error(chains):
    """Mean, sd and the standard error of the mean."""
    count = sum(len(chain) for chain in chains)
    mean = math.fsum(math.fsum(chain) for chain in chains) / count
    variance = math.fsum((x - mean) ** 2 for chain in chains for x in chain) / (count - 1)
    return mean, math.sqrt(variance), math.sqrt(variance * correlation_time(chains, mean) / count)


def correlation_time(chains, mean):
    """1 + 2 times the sum of autocorrelations, over the pairs of lags that are positive (Geyer 1992)."""
    deviations = [[x - mean for x in chain] for chain in chains]
    count = sum(len(chain) for chain in chains)

    def covariance(lag):
        return math.fsum(x * y for chain in deviations for x, y in zip(chain, chain[lag:])) / count

    variance = covariance(0)
    if variance == 0:
        return 1.0
    total, lag = -1.0, 0
    while lag + 1 < len(chains[0]):
        pair = (covariance(lag) + covariance(lag + 1)) / variance
        if pair <= 0:
            break
        total += 2 * pair
        lag += 2
    return max(total, 0.1)
