#!/usr/bin/env bash
# From file to table: `kullback fit examples/eight_schools.stan`, the whole process with all its files, medians over 31 seeds.
# Argument: the method. The floor is the start of a process that does nothing. Target: under 60 ms.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 - "${KULLBACK:-build/kullback}" "$scratch" "${1:-advi}" <<'PYTHON'
import resource, statistics, subprocess, sys, time
kullback, scratch, method = sys.argv[1:]
SEEDS, TARGET = 31, 60

def milliseconds(words_of):
    """Medians: of the wall, of the processor; and the least of the wall."""
    walls, processors = [], []
    for seed in range(1, SEEDS + 1):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([kullback, *words_of(str(seed))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        walls.append(1e3 * (time.perf_counter() - start))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        if done.returncode != 0:
            sys.exit(f"eight_schools.sh: {done.stderr.strip()}")
    return statistics.median(walls), statistics.median(processors), min(walls)

def show(title, times, target=""):
    print(f"{title:42} median {times[0]:6.1f} ms, least {times[2]:6.1f} ms, processor {times[1]:6.1f} ms{target}")

show("kullback --version", milliseconds(lambda seed: ["--version"]))
fit = milliseconds(lambda seed: ["fit", "examples/eight_schools.stan", "examples/eight_schools.json", "--method", method,
                                 "--seed", seed, "--out", f"{scratch}/{seed}"])
show(f"kullback fit --method {method}, eight schools", fit, f" (target {TARGET} ms)")
sys.exit(fit[0] >= TARGET)
PYTHON
