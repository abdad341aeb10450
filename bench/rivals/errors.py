"""How far the marginals of an approximation are from those of the reference draws, in units of the reference's sd."""
import math
from dataclasses import dataclass

from . import fits


@dataclass
class Worst:
    mean_error: float = math.inf  # |mean - reference mean| / reference sd
    mean_name: str = "-"
    sd_ratio: float = math.nan    # sd / reference sd; the furthest from 1 by its logarithm
    sd_name: str = "-"


def worst(marginals, references):
    means, sds = [], []
    for name, truth in references.items():
        row = marginals.get(name)
        if row is None:
            raise fits.Failed(f"the fit has no '{name}'")
        if truth.sd == 0:
            continue
        error = abs(fits.number(row["mean"]) - truth.mean) / truth.sd
        ratio = fits.number(row["sd"]) / truth.sd
        means.append((math.inf if math.isnan(error) else error, name))
        sds.append((abs(math.log(ratio)) if ratio > 0 else math.inf, name, ratio))
    mean_error, mean_name = max(means)
    _, sd_name, sd_ratio = max(sds)
    return Worst(mean_error, mean_name, sd_ratio, sd_name)
