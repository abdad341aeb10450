"""The tables of docs/honesty.md, as Markdown, and the verdict on the goals."""
import collections
import math
import statistics

from . import certificates, picture, rates
from .catalogue import OTHER, REGRESSION, SHAPE

KINDS = {"regressions": REGRESSION, "others": OTHER}


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def number(value, digits=2):
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def percent(value):
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def write(judged, folder):
    """Writes honesty.md and power.svg; true where the goals are met."""
    ours = [one for one in judged if one.plan.subject.kind != SHAPE]
    shapes = [one for one in judged if one.plan.subject.kind == SHAPE]
    parts, is_met = [], True
    if ours:
        found = rates.honesty(ours)
        powers = {name: rates.power(of_kind(ours, name)) for name in KINDS}
        is_met = not found.rate > rates.GOAL_FALSE and not any(power.rate < rates.GOAL_POWER for power in powers.values())
        parts += [honesty_lines(found), false_lines(ours), power_table(ours), method_table(ours), program_table(ours)]
        (folder / "power.svg").write_text(picture.draw({name: of_kind(ours, name) for name in KINDS}))
    if shapes:
        parts += ["Hard shapes: verdict and largest true error at each tolerance; **false** where a `met` is wrong.",
                  shape_table(shapes)]
    parts += [reference_line(judged), problem_lines(judged), build_line(judged)]
    text = "\n\n".join(part for part in parts if part) + "\n"
    (folder / "honesty.md").write_text(text)
    print(text)
    return is_met


def of_kind(judged, name):
    return [one for one in judged if one.plan.subject.kind == KINDS[name]]


def honesty_lines(found):
    low, high = found.interval
    return (f"{len(found.failing)} of {len(found.with_met)} posteriors with a `met` have a false one: {percent(found.rate)} (goal: at "
            f"most {percent(rates.GOAL_FALSE)}; 95 % interval {percent(low)} to {percent(high)} by a bootstrap over {found.clusters} "
            f"programs; with so many programs, a rate of failing programs up to {percent(found.largest_rate)} cannot be excluded at "
            "95 %).")


def false_lines(judged):
    rows = [[one.plan.subject.name, one.plan.method, f"{one.plan.tolerance:g}", number(one.error, 3), one.error_name,
             number(one.excess, 3), one.certified] for one in judged if one.is_false]
    return table(["falsely `met`", "method", "tolerance", "error", "of", "beyond the reference's own", "certified"], rows) if rows else ""


def tolerances_of(judged):
    return sorted({one.plan.tolerance for one in judged})


def power_table(judged):
    head = ["fits with a true error of at most half the tolerance", *(f"{t:g}" for t in tolerances_of(judged)), "all", "goal"]
    rows = []
    for name in KINDS:
        mine = of_kind(judged, name)
        parts = [[one for one in mine if one.plan.tolerance == t] for t in tolerances_of(judged)] + [mine]
        rows.append([f"{name}, certified `met`", *(share(rates.power(part)) for part in parts), percent(rates.GOAL_POWER)])
    return table(head, rows)


def share(power):
    return f"{power.certified} of {power.accurate} ({percent(power.rate)})"


def method_table(judged):
    rows = []
    for method in dict.fromkeys(one.plan.method for one in judged):
        for tolerance in tolerances_of(judged):
            mine = [one for one in judged if one.plan.method == method and one.plan.tolerance == tolerance]
            count = collections.Counter(one.verdict for one in mine)
            errors = [one.error for one in mine if not math.isnan(one.error)]
            gradients = [one.gradients for one in mine if not math.isnan(one.gradients)]
            rows.append([method, f"{tolerance:g}", count[certificates.MET], sum(one.is_false for one in mine),
                         count[certificates.NOT_MET], count[certificates.CANNOT_TELL], count[certificates.FAILED],
                         sum(one.is_met and one.certified == "reweighted" for one in mine), share(rates.power(mine)),
                         sum(one.error > one.plan.tolerance for one in mine), number(statistics.median(errors), 3) if errors else "-",
                         f"{statistics.median(gradients):.0f}" if gradients else "-"])
    return table(["method", "tolerance", "`met`", "falsely", "`not met`", "`cannot tell`", "failed", "`met` reweighted",
                  "`met` of those within half", "beyond the tolerance", "median error", "median gradients"], rows)


def marks(ones):
    """Verdicts in the order of the tolerances."""
    letters = {certificates.MET: "met", certificates.NOT_MET: "not", certificates.CANNOT_TELL: "?", certificates.FAILED: "failed"}
    return " / ".join("**false**" if one.is_false else letters[one.verdict] for one in ones)


def shape_table(judged):
    return grid(judged, lambda ones: f"{marks(ones)} ({number(ones[-1].error)})")


def program_table(judged):
    """Verdicts of each posterior, methods across."""
    return grid(judged, marks)


def grid(judged, cell):
    methods = list(dict.fromkeys(one.plan.method for one in judged))
    rows = []
    for subject in {one.plan.subject.name: one.plan.subject for one in judged}.values():
        cells = []
        for method in methods:
            ones = sorted((one for one in judged if one.plan.subject is subject and one.plan.method == method),
                          key=lambda one: one.plan.tolerance)
            cells.append(cell(ones) if ones else "")
        rows.append([subject.name, subject.kind, len(subject.references), *cells])
    spread = " / ".join(f"{t:g}" for t in tolerances_of(judged))
    return table([f"posterior (at {spread})", "kind", "scalars", *methods], rows)


def reference_line(judged):
    """Of the references that were sampled for this."""
    sampled = {one.plan.subject.name: one.plan.subject.sampled for one in judged if one.plan.subject.sampled}
    if not sampled:
        return ""
    divergent = [f"{name} ({facts['divergences']:.0f} of {facts['draws']})" for name, facts in sampled.items() if facts["divergences"]]
    return (f"References: {len(sampled)} posteriors, {sum(facts['draws'] for facts in sampled.values()) / 1e6:.1f} million draws, "
            f"smallest effective size {min(facts['ess'] for facts in sampled.values()):.0f}, largest R-hat "
            f"{max(facts['rhat'] for facts in sampled.values()):.4f}; divergences: {', '.join(divergent) or 'none'}.")


def problem_lines(judged):
    problems = collections.defaultdict(list)
    for one in judged:
        if one.problem:
            problems[one.problem].append(f"{one.plan.subject.name} {one.plan.method} {one.plan.tolerance:g}")
    return "\n".join(f"- failed: {why} ({len(which)} fits, such as {which[0]})" for why, which in problems.items())


def build_line(judged):
    builds = collections.Counter(one.binary for one in judged)
    if len(builds) < 2:
        return ""
    return "These fits are of several builds of the program: " + ", ".join(f"{count} of {name}" for name, count in builds.items()) + "."
