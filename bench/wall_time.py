#!/usr/bin/env python3
"""From source file to summary: `kullback fit`, stanli and compiled Stan, 4 chains of 1000 + 1000 iterations.

  bench/wall_time.py --posteriordb DIR                 kullback and stanli, all posteriors with reference draws
  bench/wall_time.py --posteriordb DIR --compile NAME...   also compiles these models with Stan, and takes the time

kullback is the whole command: it also writes Stan CSV, netCDF and the findings. stanli is its shared library called from C++
(no start of Python), with its own summary and diagnostics; it writes no file. Both may use --threads threads and
take turns. Stan's time is that of stanc and the compiler alone (CmdStan's flags, Stan's headers precompiled): with its
sampling, summary and files it takes longer. The time of a model that was not compiled here is taken to be the shortest of
those that were. Processor time is given beside the wall's: on a machine with other work it is the one to compare.
"""
import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import corpus, fits, systems  # noqa: E402

FORM = "{:44} {:>9} {:>9} {:>9} {:>9} {:>8}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fits.add_arguments(parser)
    parser.add_argument("--compile", nargs="+", default=[], help="names of models to compile with Stan")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def compile_times(options, cache):
    """Model to seconds of the processor; those of earlier runs are kept in the cache."""
    kept = cache.folder / "compile-seconds.json"
    times = json.loads(kept.read_text()) if kept.exists() else {}
    models = corpus.select(options.posteriordb, options.compile, False, cache.folder / "data") if options.compile else []
    for model in models:
        generated = cache.stan_models / f"timed_{model.name}.hpp"
        _, _, translated = fits.run([cache.stan / "stanc", f"--o={generated}", model.program], options.timeout)
        _, _, compiled = fits.run(cache.compiler_words(generated, cache.stan_models / f"timed_{model.name}"), 10 * options.timeout)
        times[model.name] = translated + compiled
        print(f"Stan compiles {model.name} in {times[model.name]:.1f} s of the processor", flush=True)
        kept.write_text(json.dumps(times, indent=1))
    return times


def measure(options, cache, posterior):
    """Medians over the rounds: wall and processor of kullback, then of stanli."""
    words = {
        "kullback": [options.kullback, "fit", posterior.program, posterior.data, "--method", "nuts", "--seed", options.seed, "--threads",
                     options.threads, "--force", "--out", cache.folder / "fits" / posterior.name],
        "stanli": [cache.stanli_sampler, cache.stanli_library, posterior.program, posterior.data, options.seed, options.threads],
    }
    taken = {name: [] for name in words}
    for _ in range(options.rounds):
        for name, line in words.items():
            taken[name].append(fits.run(line, options.timeout)[1:])
    return {name: [statistics.median(column) for column in zip(*times)] for name, times in taken.items()}


def print_summary(rows, compiled):
    if not rows:
        return
    ratios = [stanli[1] / ours[1] for ours, stanli in rows]
    print(f"\nstanli : kullback, processor time: median {statistics.median(ratios):.2f}; "
          f"kullback is not slower on {sum(ratio >= 1 for ratio in ratios)} of {len(ratios)}")
    ratios = [stanli[0] / ours[0] for ours, stanli in rows]
    print(f"stanli : kullback, wall: median {statistics.median(ratios):.2f}; "
          f"kullback is not slower on {sum(ratio >= 1 for ratio in ratios)} of {len(ratios)}")
    if compiled:
        print("Stan's compilation alone : kullback, processor time: median "
              f"{statistics.median(stan / ours[1] for (ours, _), stan in zip(rows, compiled)):.0f}")


def main():
    options = arguments()
    cache = systems.Cache(options.cache)
    times = compile_times(options, cache)
    shortest = min(times.values(), default=None)
    print(FORM.format("posterior", "kullback", "CPU", "stanli", "CPU", "compile"))
    rows, compiled = [], []
    for posterior in fits.posteriors(options.posteriordb, cache.folder / "data", options.only):
        try:
            found = measure(options, cache, posterior)
        except fits.Failed as why:
            print(f"{posterior.name}: {why}", flush=True)
            continue
        rows.append((found["kullback"], found["stanli"]))
        stan = times.get(posterior.program.stem, shortest)
        if stan:
            compiled.append(stan)
        mark = "" if posterior.program.stem in times else "*"
        print(FORM.format(posterior.name[:44], *(f"{x:.3f}" for pair in rows[-1] for x in pair),
                          f"{stan:.1f}{mark}" if stan else "-"), flush=True)
    print_summary(rows, compiled)


if __name__ == "__main__":
    main()
