"""True errors of what a fit gave, and whether its certificate spoke the truth."""
import dataclasses
import math

from rivals import fits

from . import certificates

STANDARD_ERRORS = 3.5   # of the reference, granted before a `met` is called false
IQR_OF_NORMAL = 1.3489795003921634


@dataclasses.dataclass
class Judged:
    plan: certificates.Plan
    verdict: str                 # or "failed"
    error: float = math.nan      # the largest of all scalars: means in reference sds, sds on the log scale
    error_name: str = ""
    excess: float = -math.inf    # the largest error less 3.5 standard errors of the reference
    excess_name: str = ""
    certified: str = ""          # raw, reweighted, chains
    gradients: float = math.nan
    seconds: float = math.nan
    binary: str = ""
    problem: str = ""

    @property
    def is_met(self):
        return self.verdict == certificates.MET

    @property
    def is_false(self):
        return self.is_met and self.excess > self.plan.tolerance

    @property
    def is_accurate(self):
        return self.error <= self.plan.tolerance / 2

    @property
    def ratio(self):
        return self.error / self.plan.tolerance


def judge(plan, outcome):
    kept = {"binary": outcome["binary"], "seconds": outcome.get("seconds", math.nan)}
    if "problem" in outcome:
        return Judged(plan, certificates.FAILED, problem=outcome["problem"], **kept)
    certificate = outcome["certificate"]
    errors = errors_of(certificate["parameters"], plan.subject)
    error, error_name = max((error, name) for error, _, name in errors)
    excess, excess_name = max((excess, name) for _, excess, name in errors)
    return Judged(plan, certificate["verdict"], error, error_name, excess, excess_name, certificate.get("certified", ""),
                  certificate.get("cost", {}).get("gradients", math.nan), **kept)


def errors_of(rows, subject):
    """(error, error beyond the reference's own, name of the moment) of location and scale of every scalar."""
    given = {row["name"]: row for row in rows if row["name"] in subject.references}
    missing = [row["name"] for row in rows if row["name"] not in given]
    if missing and subject.is_complete:
        raise fits.Failed(f"{subject.name}: the reference has no '{missing[0]}'")
    if not given:  # a method without draws has nothing to judge
        return [(math.inf, math.inf, "all parameters, which the certificate leaves out")]
    result = [(math.inf, math.inf, f"{name}, which the certificate leaves out") for name, truth in subject.references.items()
              if name not in given and truth.sd > 0 and subject.is_complete]
    for name, row in given.items():
        truth = subject.references[name]
        if truth.sd == 0:
            continue
        if row.get("judged_by") == "median and iqr":
            unit = truth.iqr / IQR_OF_NORMAL
            result += [location_error(row["median"], truth.median, truth.se_median, unit, f"median of {name}"),
                       scale_error(row["iqr"], truth.iqr, truth.se_iqr, f"IQR of {name}")]
        else:
            result += [location_error(row["mean"], truth.mean, truth.se_mean, truth.sd, f"mean of {name}"),
                       scale_error(row["sd"], truth.sd, truth.se_sd, f"sd of {name}")]
    return result


def location_error(given, truth, standard_error, unit, name):
    error = abs(fits.number(given) - truth) / unit
    return finite(error, STANDARD_ERRORS * standard_error / unit, name)


def scale_error(given, truth, standard_error, name):
    ratio = fits.number(given) / truth
    error = abs(math.log(ratio)) if ratio > 0 else math.inf
    return finite(error, STANDARD_ERRORS * standard_error / truth, name)


def finite(error, allowance, name):
    """NaN is as wrong as can be."""
    error = math.inf if math.isnan(error) else error
    return error, error - allowance, name
