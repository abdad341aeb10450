#!/usr/bin/env bash
# How long `kullback check` takes on a program of 1,000 lines, from the start of the process to its end.
# The floor is the start of a process that does nothing (`kullback --version`). Target: under 10 ms.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(mktemp --suffix .stan)
trap 'rm -f "$program"' EXIT
python3 bench/long_program.py "${1:-1000}" >"$program"
python3 - "${KULLBACK:-build/kullback}" "$program" <<'PYTHON'
import statistics, subprocess, sys, time
kullback, program = sys.argv[1:]

def milliseconds(*words):
    times = []
    for _ in range(60):
        start = time.perf_counter()
        subprocess.run([kullback, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times), min(times)

lines = sum(1 for _ in open(program))
floor, whole = milliseconds("--version"), milliseconds("check", program)
print(f"kullback --version:            median {floor[0]:6.2f} ms, least {floor[1]:6.2f} ms")
print(f"kullback check ({lines} lines): median {whole[0]:6.2f} ms, least {whole[1]:6.2f} ms (target 10 ms)")
sys.exit(whole[0] > 10)
PYTHON
