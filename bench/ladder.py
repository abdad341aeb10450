#!/usr/bin/env python3
"""The ladder of methods (`kullback fit` as it is) on posteriordb's reference posteriors, beside NUTS with its defaults.

  bench/ladder.py --posteriordb DIR [--tolerance 0.1] [--only NAME ...]

For each posterior: which rung met the tolerance, whether the answer is within it (means in reference sds, sds on the log scale,
each less 3.5 standard errors of the reference), the seconds of both commands, file to table, one after the other on an otherwise
idle machine. Goals: no answer that is called met and is not, a median of the ratios of at most a half, and the centred eight
schools not certified before NUTS. The exit code is 1 where one is missed.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import fits, reference, systems  # noqa: E402

LARGEST_RATIO = 0.5
REFERENCE_ERRORS = 3.5
CENTRED = "eight_schools-eight_schools_centered"
MET_CODES = (0, 3)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fits.add_arguments(parser)
    parser.add_argument("--tolerance", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def timed(words, timeout):
    """Seconds and exit code; no code where it took too long."""
    start = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        return timeout, None, ""
    return time.monotonic() - start, done.returncode, done.stderr


def worst_error(certificate, references):
    """The largest error of a given mean or sd, beyond what the reference itself may be off by."""
    worst = 0.0
    for row in certificate["parameters"]:
        truth = references.get(row["name"])
        if truth is None or "mean" not in row:
            continue
        worst = max(worst, abs(row["mean"] - truth.mean) / truth.sd - REFERENCE_ERRORS * truth.mcse_mean / truth.sd,
                    abs(math.log(row["sd"] / truth.sd)) - REFERENCE_ERRORS * truth.mcse_sd / truth.sd)
    return worst


def measure(options, posterior, references):
    with tempfile.TemporaryDirectory(prefix="kullback-ladder-") as scratch:
        folder = pathlib.Path(scratch)
        base = [options.kullback, "fit", posterior.program, posterior.data, "--seed", options.seed]
        ladder_seconds, code, said = timed([*base, "--tolerance", options.tolerance, "--out", folder / "ladder"], options.timeout)
        nuts_seconds, _, _ = timed([*base, "--method", "nuts", "--out", folder / "nuts"], options.timeout)
        if code is None:
            return {"rung": "-", "verdict": f"over {options.timeout:g} s", "error": 0.0, "seconds": ladder_seconds, "nuts": nuts_seconds}
        if code not in MET_CODES:
            raise fits.Failed(f"{posterior.name}: {said.strip().splitlines()[0] if said.strip() else code}")
        certificate = json.loads((folder / "ladder/certificate.json").read_text())
        rungs = json.loads((folder / "ladder/run.json").read_text())["rungs"]
        return {"rung": rungs[-1]["method"], "verdict": certificate["verdict"], "error": worst_error(certificate, references),
                "seconds": ladder_seconds, "nuts": nuts_seconds}


def main():
    options = arguments()
    cache = systems.Cache(options.cache)
    rows = {}
    print(f"{'posterior':46} {'last rung':26} {'verdict':12} {'error':>6} {'ladder s':>9} {'nuts s':>8} {'ratio':>6}")
    for posterior in fits.posteriors(options.posteriordb, cache.folder / "data", options.only):
        row = measure(options, posterior, reference.read(posterior.draws, cache.folder / "references"))
        rows[posterior.name] = row
        print(f"{posterior.name:46} {row['rung']:26} {row['verdict']:12} {row['error']:6.3f} {row['seconds']:9.2f} "
              f"{row['nuts']:8.2f} {row['seconds'] / row['nuts']:6.2f}", flush=True)
    false = [name for name, row in rows.items() if row["verdict"] == "met" and row["error"] > options.tolerance]
    met = sum(row["verdict"] == "met" for row in rows.values())
    ratio = statistics.median(row["seconds"] / row["nuts"] for row in rows.values())
    hasty = CENTRED in rows and "nuts" not in rows[CENTRED]["rung"] and rows[CENTRED]["rung"] != "tempering"
    print(f"met: {met} of {len(rows)}, falsely: {len(false)} {' '.join(false)}")
    print(f"median of the ratios: {ratio:.2f} (goal {LARGEST_RATIO})")
    if CENTRED in rows:
        print(f"the centred eight schools ended with {rows[CENTRED]['rung']}")
    sys.exit(bool(false) or ratio > LARGEST_RATIO or hasty)


if __name__ == "__main__":
    main()
