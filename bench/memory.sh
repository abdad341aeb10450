#!/usr/bin/env bash
# Peak memory of a loop over 100,000 observations (or as many as the argument says), and the time until its first gradient.
# Target: under 300 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 - "${KULLBACK:-build/kullback}" "$scratch" "${1:-100000}" <<'PYTHON'
import json, pathlib, random, resource, subprocess, sys
kullback, scratch, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
groups, draw = 50, random.Random(1)
data = {"N": count, "G": groups,
        "g": [draw.randint(1, groups) for _ in range(count)],
        "x": [round(draw.gauss(0, 1), 6) for _ in range(count)],
        "y": [round(draw.gauss(0, 2), 6) for _ in range(count)]}
(scratch / "data.json").write_text(json.dumps(data))
done = subprocess.run([kullback, "density", "bench/models/hier_loop.stan", scratch / "data.json", "--repeat", "20"],
                      stdout=subprocess.PIPE, text=True, check=True)
found = json.loads(done.stdout)
megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
print(f"hier_loop with {count} observations: peak memory {megabytes:.0f} MB (target 300 MB), "
      f"{found['milliseconds_to_trace']:.0f} ms to the first gradient, "
      f"{found['nanoseconds_per_gradient'] / 1e3:.0f} us per gradient")
sys.exit(megabytes >= 300)
PYTHON
