"""Conjugate fits under kill -9: --resume ends in the bits of an undisturbed run; a killed rank ends all of them.

    tests/resume/conjugate_kill_test.py [KILLS]
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
KULLBACK = os.path.abspath(os.environ["KULLBACK"])
MPI = ["mpirun", "--oversubscribe", "-n", "2"]
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
numbers = random.Random(7)


def write_rows(path, rows):
    lines = ["a,b,c,d"]
    for i in range(rows):
        lines.append(",".join(f"{numbers.gauss(3 * (i % 4 == c), 1):.6f}" for c in range(4)))
    path.write_text("\n".join(lines) + "\n")


def write_corpus(path, documents):
    lines = []
    for d in range(documents):
        words = sorted({(d % 5) * 20 + numbers.randrange(40) for _ in range(30)})
        lines.append(f"{len(words)} " + " ".join(f"{word}:{numbers.randrange(1, 4)}" for word in words))
    path.write_text("\n".join(lines) + "\n")


def run(command, **more):
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, **more)


def check_same_after_kills(folder, name, command):
    whole = folder / f"{name}-whole"
    began = time.monotonic()
    done = run([*command, "--out", whole])
    assert done.returncode == 0, done.stderr
    seconds = time.monotonic() - began
    kills = 0
    for kill in range(KILLS):
        out = folder / f"{name}-{kill}"
        process = subprocess.Popen([*command, "--out", out], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(numbers.uniform(0.1, 0.9) * seconds)
        kills += process.poll() is None
        process.kill()
        process.wait()
        again = ["--resume"] if (out / "run.json").exists() else []
        done = run([*command, "--out", out, *again])
        assert done.returncode == 0, done.stderr
        assert (out / "state.npy").read_bytes() == (whole / "state.npy").read_bytes(), f"{name}, kill {kill}: another result"
    assert kills > 0, f"{name}: the runs ended before they were killed"
    print(f"{name}: {kills} of {KILLS} killed, all ended alike")


def ranks_of(process):
    listed = run(["ps", "--ppid", str(process.pid), "-o", "pid=,comm="]).stdout.split("\n")
    return [int(line.split()[0]) for line in listed if "kullback" in line]


def check_killed_rank(folder, command):
    out = folder / "ranks"
    process = subprocess.Popen([*MPI, *command, "--out", out], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    deadline = time.monotonic() + 60
    while not list(out.glob(".partial/start-1.npy")) and time.monotonic() < deadline:
        time.sleep(0.02)
    ranks = ranks_of(process)
    assert len(ranks) == 2, f"ranks found: {ranks}"
    os.kill(ranks[1], signal.SIGKILL)
    _, message = process.communicate(timeout=60)
    assert process.returncode != 0, "mpirun must fail"
    assert "signal 9" in message or "Killed" in message, message
    alone = run([*command, "--out", folder / "alone"])
    assert alone.returncode == 0, alone.stderr
    done = run([*MPI, *command, "--out", out, "--resume"])
    assert done.returncode == 0, done.stderr
    a, b = (json.loads((path / "summary.json").read_text())["elbo"] for path in (out, folder / "alone"))
    assert abs(a - b) <= 1e-9 * abs(a), (a, b)
    print("a killed rank ended the run with a message, and its checkpoint led to the same bound")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    write_rows(folder / "rows.csv", 20000)
    write_corpus(folder / "corpus.ldac", 1500)
    common = ["--seed", "1", "--quiet", "--threads", "1", "--save-every", "0", "--no-units"]
    endless = ["--bound-tol", "0"]
    mixture = [KULLBACK, "mixture", folder / "rows.csv", "--components", "8", *common]
    check_same_after_kills(folder, "mixture", [*mixture, *endless, "--passes", "150"])
    check_same_after_kills(folder, "svi", [*mixture, "--method", "svi", "--passes", "20", "--step", "adam"])
    check_same_after_kills(folder, "topics", [KULLBACK, "topics", folder / "corpus.ldac", "--topics", "10", "--passes", "40", *common, *endless])
    check_killed_rank(folder, [str(part) for part in [*mixture, *endless, "--passes", "150"]])
