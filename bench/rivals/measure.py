"""One model by all systems: the same points, agreement, and times in turns."""
import json
import math
import statistics
import subprocess
from dataclasses import dataclass, field

TOLERANCE = 1e-8
TIMEOUT_SECONDS = 120


@dataclass
class Measured:
    name: str
    nanoseconds: list = field(default_factory=list)  # per gradient, or per draw with lanes; one a round
    preparation: list = field(default_factory=list)  # milliseconds until the first gradient
    answers: list = field(default_factory=list)      # at both points
    problem: str = ""

    @property
    def microseconds(self):
        return statistics.median(self.nanoseconds) / 1e3 if self.nanoseconds else math.nan


@dataclass
class Result:
    model: object
    systems: dict
    disagreement: str = ""

    def ratio(self, above, below="kullback"):
        """Median over the rounds of the ratio of two times."""
        pairs = zip(self.systems[above].nanoseconds, self.systems[below].nanoseconds)
        ratios = [x / y for x, y in pairs]
        return statistics.median(ratios) if ratios else math.nan


class Failed(Exception):
    pass


def answer(system, model, point, repeat):
    words = system.command(model, point, repeat)
    if words is None:
        raise Failed("not compiled")
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"more than {TIMEOUT_SECONDS} s") from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        line = lines[0].strip().removeprefix("kullback: ").replace(f"{model.program.parent}/", "") if lines else ""
        raise Failed(line[:80] or f"exit code {done.returncode}")
    return json.loads(done.stdout)


def dimension(model, systems):
    for system in systems:
        try:
            return len(answer(system, model, None, 0)["gradient"])
        except Failed:
            continue
    return None


def candidate_points(dim):
    """First the point at which stanli's own benchmarks are taken."""
    base = [0.1 + 0.05 * (i % 7) - 0.15 * (i % 3) for i in range(dim)]
    scaled = [[factor * x for x in base] for factor in (1, 0.5, 0.02)]
    # dogs_log wants a negative number before a positive one; sir has negative rates but in a small region.
    cycles = [(-0.3, 0.1), (-0.2, 0.2), (-0.3, -1.8, -2.0, -1.0), (-0.4, -1.9, -2.0, -1.1)]
    return scaled + [[cycle[i % len(cycle)] for i in range(dim)] for cycle in cycles]


def usable_points(model, systems, dim, folder):
    """Two points at which the first system that runs has a finite log density and gradient."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, point in enumerate(candidate_points(dim)):
        path = folder / f"{model.name}.{number}.json"
        path.write_text(json.dumps(point))
        for system in systems:
            try:
                found = answer(system, model, path, 0)
            except Failed:
                continue
            if all(isinstance(x, (int, float)) for x in [found["log_density"], *found["gradient"]]):
                paths.append(path)
            break
        if len(paths) == 2:
            return paths
    return paths


def close(x, y, scale=1.0):
    if not (isinstance(x, (int, float)) and isinstance(y, (int, float))):
        return x == y
    return abs(x - y) <= TOLERANCE * (scale + abs(y))


def has_new_transform(model):
    """Simplexes have other unconstrained coordinates since Stan 2.37: the same point is another in older versions."""
    return "simplex[" in model.program.read_text()


def disagreement(model, measured):
    """What differs from the first system with answers; empty where all agree."""
    comparable = [m for m in measured if len(m.answers) == 2 and not (m.name == "Stan" and has_new_transform(model))]
    first, *others = comparable or [None]
    for other in others:
        steps = [m.answers[0]["log_density"] - m.answers[1]["log_density"] for m in (first, other)]
        if not close(*steps, scale=abs(other.answers[0]["log_density"])):
            return f"log density of {first.name} and {other.name}: differences {steps[0]:.10g} and {steps[1]:.10g}"
        gradients = first.answers[0]["gradient"], other.answers[0]["gradient"]
        size = max(1.0, math.sqrt(sum(x * x for x in gradients[1]) / max(1, len(gradients[1]))))
        if not all(close(x, y, scale=size) for x, y in zip(*gradients)):
            return f"gradient of {first.name} and {other.name}"
    return ""


def repeats(nanoseconds, lanes, seconds):
    return max(1, min(10_000_000, round(seconds * 1e9 / (lanes * max(nanoseconds, 1)))))


def measure(model, systems, rounds, seconds, point_folder):
    measured = {system.name: Measured(system.name) for system in systems}
    dim = dimension(model, systems)
    points = usable_points(model, systems, dim, point_folder) if dim else []
    if len(points) < 2:
        for m in measured.values():
            m.problem = "no point with a finite gradient" if dim else "no system runs it"
        return Result(model, measured)
    counts = {}
    for system in systems:
        m = measured[system.name]
        try:
            m.answers = [answer(system, model, point, 1) for point in points]
            guess = answer(system, model, points[0], repeats(m.answers[0]["nanoseconds_per_gradient"], 1, 0.01))
            counts[system.name] = repeats(guess["nanoseconds_per_gradient"], getattr(system, "lanes", 1), seconds)
        except Failed as why:
            m.problem = str(why)
    for _ in range(rounds):
        for system in systems:
            m = measured[system.name]
            if not m.problem:
                timed = answer(system, model, points[0], counts[system.name])
                m.nanoseconds.append(timed["nanoseconds_per_gradient"])
                m.preparation.append(timed.get("milliseconds_to_trace", timed.get("milliseconds_to_prepare", math.nan)))
    return Result(model, measured, disagreement(model, measured.values()))
