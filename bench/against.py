#!/usr/bin/env python3
"""Time of one gradient of posteriordb's models: kullback, stanli and compiled Stan side by side.

  bench/against.py prepare --cache DIR            fetches stanli and Stan, compiles their timers (not yet the models)
  bench/against.py compile --posteriordb DIR      compiles models with Stan, once: half a minute to minutes each
  bench/against.py run --posteriordb DIR          measures, checks and prints the table

All systems are timed in processes of their own by the same loop, at the same unconstrained point, in processor time, in turns:
kullback, stanli, Stan, kullback with 8 lanes, then again. A time is the median over the rounds; a ratio the median of
the ratios of the rounds. Log densities must agree up to a constant, gradients as they are.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import corpus, measure, report, systems  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["prepare", "compile", "run"])
    parser.add_argument("models", nargs="*", help="names of models (default: those of bench/models.txt)")
    parser.add_argument("--all", action="store_true", help="all models of posteriordb")
    parser.add_argument("--posteriordb", type=pathlib.Path, help="a checkout of posteriordb")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path.home() / ".cache/kullback-bench")
    parser.add_argument("--kullback", type=pathlib.Path, default=corpus.ROOT / "build/kullback")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="time of one measurement")
    parser.add_argument("--skip", action="append", default=[], choices=["stanli", "stan"])
    parser.add_argument("--json", type=pathlib.Path, help="write the results there too")
    return parser.parse_args()


def main():
    options = arguments()
    cache = systems.Cache(options.cache)
    if options.task == "prepare":
        return cache.prepare()
    if options.posteriordb is None:
        sys.exit("against.py: --posteriordb DIR is needed: a checkout of posteriordb, where posterior_database is.")
    models = corpus.select(options.posteriordb, options.models, options.all, cache.folder / "data")
    if options.task == "compile":
        return cache.compile_models(models)
    compared = [systems.Kullback(options.kullback), systems.Kullback(options.kullback, lanes=8)]
    if "stanli" not in options.skip:
        compared.insert(1, systems.Stanli(cache))
    if "stan" not in options.skip:
        compared.insert(-1, systems.Stan(cache))
    results = []
    report.print_header(compared)
    for model in models:
        results.append(measure.measure(model, compared, options.rounds, options.seconds, cache.folder / "points"))
        report.print_row(results[-1])
    report.print_summary(results)
    if options.json:
        report.write_json(results, options.json)


if __name__ == "__main__":
    main()
