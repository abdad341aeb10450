#!/usr/bin/env python3
"""`kullback fit` against posteriordb's reference draws, and its sampler against Stan's.

  bench/posteriors.py --posteriordb DIR                     all posteriors with reference draws: a row for each
  bench/posteriors.py --posteriordb DIR --seeds 5 --stan    also Stan's own sampler on the same density (see --help)

A marginal is right where |mean - reference mean| < 4.5 sqrt(our MCSE^2 + the reference's MCSE^2), and the sd is within 15 %
of the reference's beyond the reference's own standard error. A posterior passes where all its marginals are right; one
that does not must have a finding. With --stan, Stan's sampler (hmc_nuts_diag_e_adapt of Stan's own services) runs on
kullback's density: bulk effective draws per gradient of both by the same code, over the marginals of the reference.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import corpus, fits, reference, systems  # noqa: E402

LARGEST_Z = 4.5
LARGEST_SD_ERROR = 0.15


@dataclasses.dataclass
class Judgement:
    z: float
    z_name: str
    sd_ratio: float
    sd_name: str
    is_right: bool


def judge(fit, references):
    """The worst marginals of a fit."""
    worst_z, worst_sd, is_right = (-1.0, ""), (-1.0, "", math.nan), True
    for name, truth in references.items():
        row = fit.marginals.get(name)
        if row is None:
            raise fits.Failed(f"the fit has no '{name}'")
        mean, sd, error = (fits.number(row[key]) for key in ("mean", "sd", "mcse_mean"))
        z = abs(mean - truth.mean) / math.hypot(error, truth.mcse_mean)
        ratio = sd / truth.sd
        z, excess = (math.inf if math.isnan(x) else x for x in (z, abs(ratio - 1)))
        worst_z, worst_sd = max(worst_z, (z, name)), max(worst_sd, (excess, name, ratio))
        is_right &= z < LARGEST_Z and excess < LARGEST_SD_ERROR + truth.mcse_sd / truth.sd
    return Judgement(*worst_z, worst_sd[2], worst_sd[1], is_right)


@dataclasses.dataclass
class Result:
    posterior: str
    seed: int
    judged: Judgement
    ours: fits.Fit
    names: list          # of the marginals
    ess: tuple           # smallest and mean bulk ESS
    stan: object = None  # Fit
    stan_ess: tuple = ()

    @property
    def is_flagged(self):
        return bool(self.ours.findings)

    def ratios(self):
        """Ours over Stan's: smallest and mean ESS per leapfrog step of the draws, and per gradient in all."""
        result = []
        for phase in ("sampling_gradients", "gradients"):
            ours, stan = getattr(self.ours, phase), getattr(self.stan, phase)
            result += [(a / ours) / (b / stan) for a, b in zip(self.ess, self.stan_ess)]
        return result


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fits.add_arguments(parser)
    parser.add_argument("--method", default="nuts")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 1 to N")
    parser.add_argument("--option", nargs="+", default=[], metavar="WORD", help="further words for kullback fit, without their --")
    parser.add_argument("--stan", action="store_true", help="run Stan's sampler too: needs 'bench/against.py prepare'")
    parser.add_argument("--stan-sampler", type=pathlib.Path, default=corpus.ROOT / "build/bench/stan_sampler",
                        help="built by 'KULLBACK_BENCH=ON tools/build.sh release stan_sampler'")
    parser.add_argument("--json", type=pathlib.Path, help="write the results there too")
    return parser.parse_args()


def measure(options, cache, posterior, references, seed):
    ours = fits.by_kullback(options.kullback, posterior, seed, cache.folder / "fits" / posterior.name,
                            ["--method", options.method, *option_words(options.option)], options.timeout)
    result = Result(posterior.name, seed, judge(ours, references), ours, list(references),
                    ours.efficiencies(references))
    if options.stan:
        result.stan = fits.by_stan_sampler(options.stan_sampler, cache.stan_nuts, posterior, seed, options.timeout)
        result.stan_ess = result.stan.efficiencies(references)
    return result


def option_words(words):
    """target-accept=0.9 to --target-accept 0.9."""
    return [part for word in words for part in ("--" + word).split("=", 1)]


ROW = "{:44} {:>4} {:>5} {:16} {:>5} {:16} {:>6} {:>9} {:>8} {:>7}  {}"


def print_row(result):
    judged = result.judged
    verdict = [] if judged.is_right else ["FLAGGED" if result.is_flagged else "WRONG"]
    print(ROW.format(result.posterior[:44], result.seed, f"{judged.z:.1f}", judged.z_name[:16], f"{judged.sd_ratio:.2f}",
                     judged.sd_name[:16], f"{result.ess[0]:.0f}", result.ours.gradients, f"{result.ours.seconds:.2f}",
                     f"{result.ours.processor_seconds:.2f}", " ".join(verdict + result.ours.findings)), flush=True)


def print_verdict(results, failures, seeds):
    for seed in range(1, seeds + 1):
        mine = [result for result in results if result.seed == seed]
        wrong = [result for result in mine if not result.judged.is_right]
        unflagged = [result.posterior for result in wrong if not result.is_flagged]
        print(f"seed {seed}: {len(mine) - len(wrong)} of {len(mine)} pass, {len(wrong) - len(unflagged)} are flagged by a "
              f"finding, {len(unflagged)} are not" + (": " + ", ".join(unflagged) if unflagged else ""))
    for failure in failures:
        print("failed:", failure)


def geometric_mean(values):
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def print_efficiencies(results):
    results = [result for result in results if result.stan]
    if not results:
        return
    form = "{:44} {:>8} {:>8} {:>8} {:>8}  {:>7} {:>7}  {:>6} {:>6}"
    print("\nEffective draws per gradient, kullback over Stan's sampler (geometric means over the seeds)")
    print(form.format("posterior", "min draw", "mean", "min all", "mean", "steps", "Stan's", "accept", "Stan's"))
    for name in dict.fromkeys(result.posterior for result in results):
        mine = [result for result in results if result.posterior == name]
        ratios = [geometric_mean(column) for column in zip(*(result.ratios() for result in mine))]
        steps = [geometric_mean([step for result in mine for step in fit(result).step_sizes]) for fit in (ours_of, stan_of)]
        accepted = [sum(fit(result).acceptance for result in mine) / len(mine) for fit in (ours_of, stan_of)]
        print(form.format(name[:44], *(f"{x:.2f}" for x in ratios), *(f"{x:.3g}" for x in steps),
                          *(f"{x:.3f}" for x in accepted)))
    mixed = [result for result in results if result.ours.mixes(result.names) and result.stan.mixes(result.names)]
    for title, those in (("all runs", results), (f"the {len(mixed)} where both mix (R-hat < 1.05)", mixed)):
        ratios = [geometric_mean(column) for column in zip(*(result.ratios() for result in those))]
        print(form.format(title, *(f"{x:.3f}" for x in ratios), "", "", "", ""))


def ours_of(result):
    return result.ours


def stan_of(result):
    return result.stan


def write_json(results, path):
    rows = []
    for result in results:
        row = dataclasses.asdict(result)
        for fit in (row["ours"], row["stan"]):
            if fit:
                del fit["marginals"]
        rows.append(row)
    path.write_text(json.dumps(rows, indent=1))


def main():
    options = arguments()
    cache = systems.Cache(options.cache)
    posteriors = fits.posteriors(options.posteriordb, cache.folder / "data", options.only)
    results, failures = [], []
    print(ROW.format("posterior", "seed", "z", "", "sd", "", "ESS", "gradients", "seconds", "CPU", "findings"), flush=True)
    for posterior in posteriors:
        references = reference.read(posterior.draws, cache.folder / "references")
        for seed in range(1, options.seeds + 1):
            try:
                results.append(measure(options, cache, posterior, references, seed))
                print_row(results[-1])
            except fits.Failed as why:
                failures.append(f"{posterior.name}, seed {seed}: {why}")
                print(failures[-1], flush=True)
        if options.json:
            write_json(results, options.json)
    print_verdict(results, failures, options.seeds)
    print_efficiencies(results)
    if failures or any(not result.judged.is_right and not result.is_flagged for result in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
