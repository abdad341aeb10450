#!/usr/bin/env python3
"""What many draws at once cost against one: time of a gradient with 64 lanes over that of one draw.

  bench/lanes.py                           the programs of bench/models
  bench/lanes.py --posteriordb DIR         also the models of bench/models.txt, or those named

One lane and many take turns in processes of their own (`kullback density --repeat`), in processor time; a time is the least
over the rounds, since other work on the machine only adds to it. 64 lanes may cost 16 times one draw on tiny and sequential models and 64 times on any; the exit
code is 1 where they cost more.
"""
import argparse
import gzip
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import corpus, measure, systems  # noqa: E402

BASELINE = {"eight_schools": "tiny", "logistic": "regression", "logistic_glm": "regression", "hier_loop": "hierarchy",
            "ar_garch": "sequence"}
TINY = {"eight_schools_centered", "eight_schools_noncentered"}  # of posteriordb
CHEAP_KINDS = {"tiny", "sequence"}
CHEAP = 1 / 4  # of a draw alone: 16 for 64 lanes

ROW = "{:<50} {:<10} {:>10} {:>12} {:>8} {:>6}  {}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="models of posteriordb (default: those of bench/models.txt)")
    parser.add_argument("--posteriordb", type=pathlib.Path, help="a checkout of posteriordb")
    parser.add_argument("--lanes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="time of one measurement")
    parser.add_argument("--kullback", type=pathlib.Path, default=corpus.ROOT / "build/kullback")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path.home() / ".cache/kullback-bench")
    return parser.parse_args()


def baseline_models(folder):
    """The programs of bench/models; logistic_glm has the data of logistic."""
    folder.mkdir(parents=True, exist_ok=True)
    source = corpus.ROOT / "bench/models"
    for packed in source.glob("*.data.json.gz"):
        (folder / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    return [corpus.Model(name, kind, source / f"{name}.stan", folder / f"{name.removesuffix('_glm')}.data.json")
            for name, kind in BASELINE.items()]


def models_of(options):
    found = baseline_models(options.cache / "models")
    if options.posteriordb:
        found += corpus.select(options.posteriordb, options.models, False, options.cache / "data")
    for model in found:
        model.kind = "tiny" if model.name in TINY else model.kind
    return found


def least_microseconds(found, system, lanes):
    return lanes * min(found.systems[system.name].nanoseconds, default=math.nan) / 1e3


def main():
    options = arguments()
    one, many = systems.Kullback(options.kullback), systems.Kullback(options.kullback, lanes=options.lanes)
    print(ROW.format("model", "kind", "one, us", f"{options.lanes}, us", "ratio", "goal", ""))
    dear = []
    for model in models_of(options):
        found = measure.measure(model, [one, many], options.rounds, options.seconds, options.cache / "points")
        problem = found.systems[one.name].problem or found.systems[many.name].problem or found.disagreement
        times = [least_microseconds(found, one, 1), least_microseconds(found, many, options.lanes)]
        ratio = times[1] / times[0]
        goal = options.lanes * (CHEAP if model.kind in CHEAP_KINDS else 1)
        is_dear = math.isnan(ratio) or ratio > goal
        if is_dear:
            dear.append(model.name)
        print(ROW.format(model.name, model.kind, *(f"{time:.3g}" for time in times), f"{ratio:.1f}", f"{goal:.0f}",
                         problem or ("above the goal" if is_dear else "")), flush=True)
    print(f"above the goal: {', '.join(dear) if dear else 'none'}")
    sys.exit(1 if dear else 0)


if __name__ == "__main__":
    main()
