"""Rates over posteriors and fits, with what chance leaves open."""
import collections
import dataclasses
import math
import random

GOAL_FALSE, GOAL_POWER = 0.01, 0.6
RESAMPLES = 10000


@dataclasses.dataclass
class Honesty:
    """Posteriors with a `met`, and those of them with a false one."""
    with_met: list
    failing: list
    interval: tuple       # of the rate, 95 %, by a cluster bootstrap over programs
    clusters: int         # programs with a posterior that has a met
    largest_rate: float   # 95 % upper limit of the rate of programs that fail (Clopper and Pearson)

    @property
    def rate(self):
        return len(self.failing) / len(self.with_met) if self.with_met else math.nan


def honesty(judged):
    fits = collections.defaultdict(list)
    for one in judged:
        fits[one.plan.subject.name].append(one)
    with_met = [name for name, ones in fits.items() if any(one.is_met for one in ones)]
    failing = [name for name in with_met if any(one.is_false for one in fits[name])]
    cluster_of = {name: ones[0].plan.subject.cluster for name, ones in fits.items()}
    counts = collections.defaultdict(lambda: [0, 0])
    for name in with_met:
        counts[cluster_of[name]][0] += 1
        counts[cluster_of[name]][1] += name in failing
    failing_clusters = sum(failed > 0 for _, failed in counts.values())
    return Honesty(with_met, failing, bootstrap(list(counts.values())), len(counts), upper_limit(failing_clusters, len(counts)))


def bootstrap(clusters):
    """95 % interval of the ratio of sums of (count, failed), by drawing clusters with replacement."""
    if not clusters:
        return math.nan, math.nan
    draws = random.Random("kullback honesty bootstrap")
    rates = []
    for _ in range(RESAMPLES):
        drawn = draws.choices(clusters, k=len(clusters))
        rates.append(sum(failed for _, failed in drawn) / sum(count for count, _ in drawn))
    rates.sort()
    return rates[int(0.025 * RESAMPLES)], rates[int(0.975 * RESAMPLES) - 1]


def upper_limit(failed, count, level=0.95):
    """The rate at which so few failures have the chance 1 - level; a bootstrap of no failures says nothing."""
    if failed >= count:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = 0.5 * (low + high)
        chance = math.fsum(math.comb(count, k) * rate ** k * (1 - rate) ** (count - k) for k in range(failed + 1))
        low, high = (rate, high) if chance > 1 - level else (low, rate)
    return high


@dataclasses.dataclass
class Power:
    certified: int
    accurate: int

    @property
    def rate(self):
        return self.certified / self.accurate if self.accurate else math.nan


def power(judged):
    accurate = [one for one in judged if one.is_accurate]
    return Power(sum(one.is_met for one in accurate), len(accurate))
