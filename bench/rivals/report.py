"""The table and its summary."""
import json
import math
import statistics

from rivals.systems import STAN_VERSION, STANLI

TRACE_GOAL, TINY_TRACE_GOAL = 300, 5  # milliseconds


def print_header(systems):
    names = [system.name for system in systems]
    print(f"us per gradient; versions: {STANLI}, Stan {STAN_VERSION} (-O3 -march=native); compared: {', '.join(names)}")
    print("stanli : kb and Stan : kb are their time over ours, above 1: we are faster; trace: ms from data to first gradient")
    print(f"{'model':<50}{'kullback':>10}{'stanli':>10}{'Stan':>10}{'stanli:kb':>11}{'Stan:kb':>9}"
          f"{'8 lanes':>10}{'8 : 1':>7}{'trace':>9}", flush=True)


def time_of(result, name):
    measured = result.systems.get(name)
    return measured.microseconds if measured else math.nan


def ratio_of(result, name):
    return result.ratio(name) if name in result.systems else math.nan


def cell(value, width, digits):
    return f"{'-':>{width}}" if math.isnan(value) else f"{value:>{width}.{digits}f}"


def trace_time(result):
    times = result.systems["kullback"].preparation
    return statistics.median(times) if times else math.nan


def print_row(result):
    row = f"{result.model.name:<50}"
    for name in ["kullback", "stanli", "Stan"]:
        row += cell(time_of(result, name), 10, 3)
    row += cell(ratio_of(result, "stanli"), 11, 2) + cell(ratio_of(result, "Stan"), 9, 2)
    row += cell(time_of(result, "8 lanes"), 10, 3) + cell(ratio_of(result, "8 lanes"), 7, 2)
    row += cell(trace_time(result), 9, 1)
    for measured in result.systems.values():
        if measured.problem and measured.problem != "not compiled":
            row += f"  {measured.name}: {measured.problem}"
    if result.disagreement:
        row += f"  DIFFERS: {result.disagreement}"
    print(row, flush=True)


def print_summary(results):
    print()
    for name in ["stanli", "Stan"]:
        print_ratios(name, [(ratio_of(result, name), result.model) for result in results])
    print_lanes(results)
    print_traces(results)
    wrong = [result.model.name for result in results if result.disagreement]
    print(f"values differ: {', '.join(wrong) if wrong else 'none'}")
    failed = [r.model.name for r in results if r.systems["kullback"].problem]
    print(f"kullback does not run: {', '.join(failed) if failed else 'none'}")


def print_ratios(name, rows):
    rows = sorted((row for row in rows if not math.isnan(row[0])), key=lambda row: row[0])
    if not rows:
        return
    print(f"{name} : kullback over {len(rows)} models: geometric mean {mean(rows):.2f}, "
          f"at least 1 in {sum(ratio >= 1 for ratio, _ in rows)}")
    kinds = sorted({model.kind for _, model in rows})
    print("  by kind: " + ", ".join(f"{kind} {mean([r for r in rows if r[1].kind == kind]):.2f}" for kind in kinds))
    print("  worst: " + ", ".join(f"{model.name} {ratio:.2f}" for ratio, model in rows[:10]))
    sequences = [f"{model.name} {ratio:.2f}" for ratio, model in rows if model.kind == "sequence"]
    print("  sequences: " + ", ".join(sequences))


def mean(rows):
    return math.exp(statistics.fmean(math.log(ratio) for ratio, _ in rows))


def print_lanes(results):
    rows = [(ratio_of(r, "8 lanes"), r.model) for r in results if not math.isnan(ratio_of(r, "8 lanes"))]
    if not rows:
        return
    dear = [f"{model.name} {ratio:.2f}" for ratio, model in sorted(rows, key=lambda row: -row[0]) if ratio > 1.02]
    slow = [f"{model.name} {ratio:.2f}" for ratio, model in rows if model.kind == "sequence" and ratio > 0.5]
    print(f"a draw with 8 lanes : one alone: geometric mean {mean(rows):.2f}; dearer: {', '.join(dear) or 'none'}; "
          f"sequences above a half: {', '.join(slow) or 'none'}")


def print_traces(results):
    rows = sorted(((trace_time(r), r.model.name) for r in results if not math.isnan(trace_time(r))), reverse=True)
    if not rows:
        return
    late = [f"{name} {time:.0f}" for time, name in rows if time >= TRACE_GOAL]
    tiny = [f"{name} {time:.1f}" for time, name in rows if name.startswith("eight_schools")]
    print(f"ms from data to first gradient: largest {rows[0][0]:.0f} ({rows[0][1]}); goal {TRACE_GOAL}, above it: "
          f"{', '.join(late) or 'none'}; goal {TINY_TRACE_GOAL} for {', '.join(tiny) or 'eight schools: not measured'}")


def write_json(results, path):
    path.write_text(json.dumps([
        {"model": r.model.name, "kind": r.model.kind, "disagreement": r.disagreement,
         "systems": {name: {"nanoseconds": m.nanoseconds, "milliseconds_to_prepare": m.preparation, "problem": m.problem}
                     for name, m in r.systems.items()}} for r in results], indent=1))
