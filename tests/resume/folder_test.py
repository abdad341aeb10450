"""The folders of runs: what --force replaces, what a kill, a full disk and a second run leave, how an edited file is met."""
import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time

KULLBACK = os.path.abspath(os.environ["KULLBACK"])
EXAMPLES = pathlib.Path("examples").absolute()
SHORT = ["--method", "nuts", "--warmup", "100", "--draws", "100", "--chains", "2"]
FIT = ["fit", "eight_schools.stan", "eight_schools.json", *SHORT, "--seed", "1"]
LONGER = [word if word != "100" else "400" for word in FIT]
MEAN = "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ normal(mu, 1); }"

# Verb: how it makes a folder, and how it fails to make another one (after it has looked at its arguments).
VERBS = {
    "fit": (FIT, ["fit", "never.stan", "--method", "nuts"]),
    "ladder": (["fit", "eight_schools.stan", "eight_schools.json", "--budget", "20", "--tolerance", "0.5", "--seed", "1"],
               ["fit", "never.stan"]),
    "optimize": (["optimize", "eight_schools.stan", "eight_schools.json", "--seed", "1"], ["optimize", "never.stan"]),
    "simulate": (["simulate", "eight_schools.stan", "eight_schools.json", "--seed", "1", "--draws", "20", "--data-sets", "2"],
                 ["simulate", "never.stan"]),
    "predict": (["predict", "fitted"], ["predict", "fitted", "words.json"]),
    "calibrate": (["calibrate", "mean.stan", "mean.json", "--method", "laplace", "--simulations", "20", "--seed", "1"],
                  ["calibrate", "never.stan", "--method", "laplace"]),
    "mixture": (["mixture", "rows.csv", "--components", "2", "--passes", "5", "--seed", "1"],
                ["mixture", "words.csv", "--components", "2"]),
    "regress": (["regress", "rows.csv", "--target", "b", "--seed", "1"], ["regress", "rows.csv", "--target", "none"]),
    "predict of a mixture": (["predict", "mixed", "rows.csv"], ["predict", "mixed", "words.csv"]),
}


def run(*words, **more):
    return subprocess.run([KULLBACK, *words], capture_output=True, text=True, timeout=60, **more)


def done(*words, code=0, says="", **more):
    result = run(*words, **more)
    text = result.stdout + result.stderr
    assert result.returncode == code, f"{' '.join(map(str, words))}: exit {result.returncode}, not {code}: {text}"
    assert says in text, f"{' '.join(map(str, words))}: does not say '{says}': {text}"
    return text


def content(folder):
    """All that is in a folder, links as links."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


def draws(folder):
    return [[line for line in path.read_text().splitlines() if not line.startswith("#")]
            for path in sorted(pathlib.Path(folder).glob("chain-*.csv"))]


def check_replacement(verb):
    works, fails = VERBS[verb]
    folder = pathlib.Path(verb.replace(" ", "-"))
    done(*works, "--quiet", "--out", folder)
    listed = {file["name"] for file in json.loads((folder / "run.json").read_text())["files"]}
    assert set(content(folder)) - listed <= {"run.json", "events.jsonl"}, (verb, content(folder).keys(), listed)

    whole = content(folder)
    failed = run(*fails, "--out", folder, "--force")
    assert failed.returncode in (65, 66), (verb, failed)
    assert content(folder) == whole, f"{verb}: the old results went before there were new ones"

    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("mine")
    before = content(folder)
    done(*works, "--out", folder, "--force", code=73, says="holds .git, which no run of Kullback wrote")
    link = pathlib.Path("link")
    link.symlink_to(folder)
    done(*works, "--out", link, "--force", code=73, says="holds .git")
    assert content(folder) == before, f"{verb}: a folder with foreign files was touched"
    shutil.rmtree(folder / ".git")
    done(*works, "--quiet", "--out", link, "--force")
    assert link.is_symlink() and set(content(folder)) == set(whole), (verb, content(folder).keys())
    link.unlink()


def check_foreign_record():
    folder = pathlib.Path("precious")
    (folder / "src").mkdir(parents=True)
    (folder / "run.json").write_text('{"kind": "mlflow", "version": "2"}')
    (folder / "src" / "work.c").write_text("years")
    before = content(folder)
    done(*FIT, "--out", folder, "--force", code=73, says="was not written by a run of Kullback")
    assert content(folder) == before


def check_tampering(folder, verbs):
    """Each file that the record lists, edited, by each verb that opens the folder."""
    names = [file["name"] for file in json.loads((folder / "run.json").read_text())["files"]]
    assert len(names) > 3, names
    for i, name in enumerate(names):
        path = folder / name
        good = path.read_bytes()
        middle = len(good) // 2
        bad = good[:-1] if i % 2 else good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:]
        path.write_bytes(bad)
        for verb in verbs:
            done(*verb, code=65, says=f"{path}: has {'%d bytes' % len(bad) if i % 2 else 'other content'}")
        path.write_bytes(good)
    for verb in verbs:
        assert run(*verb).returncode in (0, 3), verb


def check_tampered_folders():
    fitted = pathlib.Path("tampered")
    done("fit", "eight_schools.stan", "eight_schools.json", "--method", "laplace", "--seed", "1", "--draws", "100", "--out", fitted)
    check_tampering(fitted, [["summary", fitted], ["diagnose", fitted], ["compare", fitted, "fitted"],
                             ["report", fitted], ["predict", fitted, "--out", "none", "--force"],
                             ["certify", fitted, "--out", "certificate.json"], ["fit", "--resume", fitted]])
    check_tampering(pathlib.Path("mixed"), [["summary", "mixed"], ["predict", "mixed", "rows.csv", "--out", "none-mixed", "--force"]])
    (fitted / "chain-2.csv").write_bytes((fitted / "chain-1.csv").read_bytes())
    done("summary", fitted, code=65, says="chain-2.csv: is not a file of this run, which had 1 chain.")
    (fitted / "chain-2.csv").unlink()

    outside = pathlib.Path("outside.json")
    outside.write_text("mine")
    (fitted / "certificate.json").symlink_to(outside.absolute())
    assert run("certify", fitted).returncode in (0, 3)
    assert outside.read_text() == "mine", "certify wrote through a link"
    done("summary", fitted)
    done("fit", "eight_schools.stan", "eight_schools.json", "--method", "laplace", "--out", fitted, "--force", "--quiet")

    # A folder of a version that did not list its files.
    record = json.loads((fitted / "run.json").read_text())
    del record["files"]
    (fitted / "run.json").write_text(json.dumps(record))
    done("summary", fitted)
    done("fit", "eight_schools.stan", "eight_schools.json", "--method", "laplace", "--out", fitted, "--force", "--quiet")


def wait_for(condition, process):
    deadline = time.monotonic() + 30
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline, "the run ended too early"
        time.sleep(0.005)


@contextlib.contextmanager
def endless(*words):
    process = subprocess.Popen([KULLBACK, "fit", "eight_schools.stan", "eight_schools.json", "--method", "nuts", "--draws", "100000000",
                                "--checkpoint", "0.05", *words], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def check_lock():
    folder = pathlib.Path("busy")
    with endless("--quiet", "--out", folder) as process:
        wait_for(lambda: (folder / ".partial" / "chain-1.state").exists(), process)
        for words in [["fit", "--resume", folder], [*FIT, "--out", folder, "--force"]]:
            done(*words, code=73, says=f"a run is at work in this folder: process {process.pid} on ")
        assert process.poll() is None, "another run ended it"
    done(*FIT, "--quiet", "--out", folder, "--force")
    assert draws(folder) == draws("fitted")


def check_stale_certificate():
    """A certificate is of the draws that were there: a fit that goes on takes it away."""
    folder = pathlib.Path("judged")
    for words in ["eight_schools.stan", "eight_schools.json", "--method", "nuts", "--draws", "100000000", "--out", folder], ["--resume", folder]:
        process = subprocess.Popen([KULLBACK, "fit", *words, "--checkpoint", "0.05"], stdout=subprocess.PIPE, text=True)
        began = time.time_ns()
        state = folder / ".partial" / "chain-1.state"
        wait_for(lambda: state.exists() and state.stat().st_mtime_ns > began, process)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        assert not (folder / "certificate.json").exists(), "it tells of other draws"
        # How many draws there are depends on the machine, and so does whether they meet a tolerance.
        assert run("certify", folder, "--tolerance", "0.5").returncode in (0, 3)
        assert (folder / "certificate.json").exists()


def check_kills_of_a_replacement():
    """At any moment the folder holds one of the two fits, whole; --resume ends in the new one."""
    fit = [*LONGER, "--checkpoint", "0.01", "--quiet"]
    done(*fit, "--out", "new")
    began = time.monotonic()
    done(*fit, "--out", "new", "--force")
    length = time.monotonic() - began
    folder, moments, unfinished = pathlib.Path("replaced"), random.Random(3), 0
    for _ in range(8):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree("fitted", folder)
        process = subprocess.Popen([KULLBACK, *fit, "--out", folder, "--force"])
        time.sleep(moments.uniform(0.1, 1) * length)
        process.kill()
        process.wait()
        done("summary", folder)
        found = draws(folder)
        assert found in (draws("fitted"), draws("new"))
        if not (folder / ".next" / "run.json").exists():
            continue
        assert found == draws("fitted")
        unfinished += 1
        done("fit", "--resume", folder, "--quiet")
        assert draws(folder) == draws("new") and not (folder / ".next").exists(), content(folder).keys()
    assert unfinished > 0

    shutil.rmtree(folder)
    shutil.copytree("fitted", folder)
    events = folder / ".next" / "events.jsonl"
    with endless("--out", folder, "--force") as process:
        wait_for(lambda: events.exists() and "progress" in events.read_text(), process)
        text = run("watch", folder, "--once").stdout
        assert "running" in text and "chain 1" in text, text
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=60)[0]
    assert process.returncode == 130 and "the earlier results stay" in " ".join(text.split()), text
    assert draws(folder) == draws("fitted")


def check_full_disk(limit):
    """No file may be longer than `limit` bytes: what is finished stays, and the run goes on when there is room."""
    folder = pathlib.Path("full")
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("fitted", None):  # replacing a fit, and anew
        if name:
            shutil.copytree(name, folder)
        fit = [*LONGER, "--out", folder, *(["--force"] if name else [])]
        result = run(*fit, restore_signals=False,  # Python ignores SIGXFSZ
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert result.returncode == 73 and "cannot be written" in result.stderr, result
        if name:
            assert draws(folder) == draws(name), "the old fit went"
        done("fit", "--resume", folder, "--quiet")
        assert draws(folder) == draws("new")
        shutil.rmtree(folder)


def check_finished_chains_stay():
    """posterior.nc does not fit: the chains are in place before it is tried."""
    folder = pathlib.Path("full")
    size = max(path.stat().st_size for path in pathlib.Path("new").glob("chain-*.csv"))
    assert (pathlib.Path("new") / "posterior.nc").stat().st_size > size + 1000
    check_full_disk(size + 1000)
    result = run(*LONGER, "--out", folder, restore_signals=False,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1000, size + 1000)))
    assert result.returncode == 73 and "posterior.nc: cannot be written" in result.stderr, result
    assert draws(folder) == draws("new"), "finished chains went"


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for name in ("eight_schools.stan", "eight_schools.json"):
            shutil.copy(EXAMPLES / name, name)
        pathlib.Path("never.stan").write_text("parameters { real<lower=0> s; } model { target += log(-s); }")
        pathlib.Path("mean.stan").write_text(MEAN)
        pathlib.Path("mean.json").write_text('{"N": 3, "y": [0, 0, 0]}')
        pathlib.Path("words.csv").write_text("a,b\nx,1\n,\n")
        pathlib.Path("words.json").write_text('{"J": "words"}')
        numbers = random.Random(1)
        rows = "".join(f"{numbers.gauss(i % 2 * 5, 1)},{numbers.gauss(0, 1)}\n" for i in range(60))
        pathlib.Path("rows.csv").write_text("a,b\n" + rows)
        done(*FIT, "--out", "fitted")
        done(*VERBS["mixture"][0], "--out", "mixed")
        for verb in VERBS:
            check_replacement(verb)
        check_foreign_record()
        check_tampered_folders()
        check_lock()
        check_stale_certificate()
        check_kills_of_a_replacement()
        check_full_disk(4096)
        check_finished_chains_stay()
        print("folders are replaced whole, locked, checked, and survive kills and full disks")


main()
