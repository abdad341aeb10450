"""Kill -9 at random moments: every finished file is whole, and --resume ends in the draws of an undisturbed run.

    tests/resume/kill_test.py [KILLS]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 50
KULLBACK = os.path.abspath(os.environ["KULLBACK"])
CHAINS = 4
PROGRAM = """
data { int N; vector[N] x; vector[N] y; }
parameters { real a; vector[5] b; real<lower=0> s; }
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  s ~ exponential(1);
  y ~ normal(a + b[1] * x + b[2] * sin(x) + b[3] * cos(x) + b[4] * square(x) + b[5] * exp(-x), s);
}
generated quantities { real z = normal_rng(a, s); }
"""


def data():
    numbers = random.Random(1)
    x = [numbers.uniform(0, 3) for _ in range(100)]
    return {"N": 100, "x": x, "y": [1 + v + numbers.gauss(0, 0.5) for v in x]}


def draws(folder):
    return [[line for line in (folder / f"chain-{c}.csv").read_text().splitlines() if not line.startswith("#")]
            for c in range(1, CHAINS + 1)]


def check_whole(folder):
    """What has its final name is complete."""
    for path in folder.glob("*.json"):
        json.loads(path.read_text())
    for path in folder.glob("chain-*.csv"):
        lines = path.read_text().splitlines()
        head = next(line for line in lines if line.startswith("lp__"))
        rows = [line for line in lines if line and not line.startswith(("#", "lp__"))]
        assert len(rows) == 300, f"{path}: {len(rows)} draws"
        assert all(row.count(",") == head.count(",") for row in rows), path
    events = folder / "events.jsonl"
    if events.exists():
        for line in events.read_text().split("\n")[:-1]:  # the last may be torn
            json.loads(line)
    netcdf = folder / "posterior.nc"
    assert not netcdf.exists() or netcdf.read_bytes()[:4] in (b"\x89HDF", b"CDF\x05", b"CDF\x01", b"CDF\x02")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        pathlib.Path("model.stan").write_text(PROGRAM)
        pathlib.Path("data.json").write_text(json.dumps(data()))
        fit = [KULLBACK, "fit", "model.stan", "data.json", "--seed", "1", "--warmup", "300", "--draws", "300",
               "--quiet", "--checkpoint", "0.02", "--threads", "2"]
        began = time.monotonic()
        subprocess.run([*fit, "--out", "whole"], check=True)
        length = time.monotonic() - began
        expected = draws(pathlib.Path("whole"))
        moments = random.Random(2)
        begun = resumed = finished = 0
        for kill in range(KILLS):
            folder = pathlib.Path(f"kill-{kill}")
            process = subprocess.Popen([*fit, "--out", str(folder)])
            time.sleep(moments.uniform(0, length))
            process.kill()
            process.wait()
            if not folder.exists():
                continue  # it had not begun
            begun += 1
            check_whole(folder)
            finished += json.loads((folder / "run.json").read_text())["status"] == "complete"
            resumed += any((folder / ".partial").glob("*.state"))
            subprocess.run([KULLBACK, "fit", "--resume", str(folder), "--quiet"], check=True)
            check_whole(folder)
            assert draws(folder) == expected, f"{folder}: other draws than without the kill"
            assert not list(folder.glob("*.new-*")) and not (folder / ".partial").exists(), folder
        print(f"{KILLS} kills within {length:.2f} s: {begun} after the folder was made, {resumed} with saved chains, "
              f"{finished} after the end; all whole, all resumed to the same draws")
        assert begun >= KILLS // 3 and resumed > 0


main()
