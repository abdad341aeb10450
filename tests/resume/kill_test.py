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

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
KULLBACK = os.path.abspath(os.environ["KULLBACK"])
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


# The ladder goes on to NUTS, and its chains grow in steps.
FUNNEL = """
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> tau; vector[N] theta; }
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 3);
  theta ~ normal(mu, tau);
  y ~ normal(theta, 2);
}
"""


def data():
    numbers = random.Random(1)
    x = [numbers.uniform(0, 3) for _ in range(100)]
    return {"N": 100, "x": x, "y": [1 + v + numbers.gauss(0, 0.5) for v in x]}


def draws(folder):
    return [[line for line in path.read_text().splitlines() if not line.startswith("#")]
            for path in sorted(folder.glob("chain-*.csv"))]


def check_whole(folder, length):
    """What has its final name is complete."""
    for path in folder.glob("*.json"):
        json.loads(path.read_text())
    for path in folder.glob("chain-*.csv"):
        lines = path.read_text().splitlines()
        head = next(line for line in lines if line.startswith("lp__"))
        rows = [line for line in lines if line and not line.startswith(("#", "lp__"))]
        assert len(rows) == length, f"{path}: {len(rows)} draws"
        assert all(row.count(",") == head.count(",") for row in rows), path
    events = folder / "events.jsonl"
    if events.exists():
        for line in events.read_text().split("\n")[:-1]:  # the last may be torn
            json.loads(line)
    netcdf = folder / "posterior.nc"
    assert not netcdf.exists() or netcdf.read_bytes()[:4] in (b"\x89HDF", b"CDF\x05", b"CDF\x01", b"CDF\x02")


def check_kills(program, words, kills):
    """A run that is killed at any moment and resumed ends in the draws of one that was not."""
    fit = [KULLBACK, "fit", program, "data.json", *words, "--seed", "1", "--quiet", "--checkpoint", "0.02", "--threads", "2"]
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        began = time.monotonic()
        whole = pathlib.Path(scratch) / "whole"
        subprocess.run([*fit, "--out", whole], check=True)
        length = time.monotonic() - began
        expected = draws(whole)
        rows = len(expected[0]) - 1
        moments = random.Random(2)
        begun = resumed = finished = 0
        for kill in range(kills):
            folder = pathlib.Path(scratch) / f"kill-{kill}"
            process = subprocess.Popen([*fit, "--out", str(folder)])
            time.sleep(moments.uniform(0, length))
            process.kill()
            process.wait()
            if not folder.exists():
                continue  # it had not begun
            begun += 1
            check_whole(folder, rows)
            finished += json.loads((folder / "run.json").read_text())["status"] == "complete"
            resumed += any((folder / ".partial").rglob("*.state"))
            subprocess.run([KULLBACK, "fit", "--resume", str(folder), "--quiet"], check=True)
            check_whole(folder, rows)
            assert draws(folder) == expected, f"{folder}: other draws than without the kill"
            assert not list(folder.glob("*.new-*")) and not (folder / ".partial").exists(), folder
        print(f"{' '.join(words)}: {kills} kills within {length:.2f} s: {begun} after the folder was made, {resumed} with saved "
              f"chains, {finished} after the end; all whole, all resumed to the same draws")
        assert begun >= kills // 3 and resumed > 0


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        pathlib.Path("model.stan").write_text(PROGRAM)
        pathlib.Path("data.json").write_text(json.dumps(data()))
        pathlib.Path("funnel.stan").write_text(FUNNEL)
        check_kills("model.stan", ["--method", "nuts", "--warmup", "300", "--draws", "300"], KILLS)
        check_kills("funnel.stan", ["--method", "auto"], max(6, KILLS // 6))


main()
