"""Results of every kind, made by the program in a scratch folder, for tests of their reports."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KULLBACK = os.environ.get("KULLBACK", str(ROOT / "build" / "kullback"))
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"


def has_deep():
    return (pathlib.Path(KULLBACK).parent / "kullback-deep").exists()


def kullback(*words, check=True):
    done = subprocess.run([KULLBACK, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"kullback {' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}")
    return done


def write_table(path, columns, rows):
    text = ",".join('"' + c.replace('"', '""') + '"' for c in columns) + "\n"
    path.write_text(text + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


EIGHT = (ROOT / "examples" / "eight_schools.stan", ROOT / "examples" / "eight_schools.json")


def nuts(out):
    kullback("fit", *EIGHT, "--method", "nuts", "--seed", 1, "--quiet", "--out", out)


def vi(out):
    kullback("fit", *EIGHT, "--method", "advi", "--seed", 1, "--quiet", "--out", out)


def ladder(out):
    kullback("fit", *EIGHT, "--tolerance", 0.3, "--seed", 1, "--quiet", "--out", out, check=False)


def optimize(out):
    kullback("optimize", *EIGHT, "--seed", 1, "--quiet", "--out", out, check=False)


def start_long_fit(out):
    """A NUTS run that would take minutes."""
    program = out.parent / "long.stan"
    program.write_text("parameters { vector[60] x; real<lower=0> s; }\nmodel { s ~ normal(0, 1); x ~ normal(0, s + 0.5); }\n")
    return subprocess.Popen([KULLBACK, "fit", program, "--method", "nuts", "--seed", "1", "--draws", "3000000", "--warmup", "100",
                             "--chains", "2", "--threads", "1", "--quiet", "--out", out],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_line(path, word, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and word in path.read_text(errors="replace"):
            return
        time.sleep(0.05)
    raise RuntimeError(f"{path}: no {word} in {seconds} s")


def interrupted(out):
    process = start_long_fit(out)
    wait_for_line(out / "events.jsonl", '"progress"')
    process.send_signal(signal.SIGINT)
    if process.wait(60) != 130:
        raise RuntimeError(f"an interrupted fit ended with {process.returncode}")


def mixture(out):
    numbers = random.Random(1)
    rows = [[m[j] + numbers.gauss(0, 1) for j in range(3)] for m in ((-4, 0, 1), (4, 3, 0), (0, -5, 2)) for _ in range(80)]
    data = write_table(out.parent / "mixture.csv", ["length", "width", HOSTILE], rows)
    kullback("mixture", data, "--components", 5, "--starts", 3, "--seed", 1, "--quiet", "--out", out)


def topics(out):
    numbers = random.Random(2)
    subjects = ["goal match team coach league score".split(), "court law judge trial verdict appeal".split(),
                ["cell", "gene", "protein", "virus", "enzyme", "<b>tissue</b>"]]
    words = sum(subjects, [])
    (out.parent / "words.txt").write_text("\n".join(words) + "\n")
    lines = []
    for _ in range(100):
        main, other = numbers.sample(range(3), 2)
        bag = {}
        for _ in range(40):
            word = words.index(numbers.choice(subjects[main if numbers.random() < 0.8 else other]))
            bag[word] = bag.get(word, 0) + 1
        lines.append(" ".join([str(len(bag)), *(f"{w}:{c}" for w, c in sorted(bag.items()))]))
    (out.parent / "corpus.ldac").write_text("\n".join(lines) + "\n")
    kullback("topics", out.parent / "corpus.ldac", "--vocabulary", out.parent / "words.txt", "--topics", 3, "--top-words", 6,
             "--seed", 1, "--quiet", "--out", out)


def hmm(out):
    numbers = random.Random(3)
    rows, stormy = [], False
    for day in range(400):
        stormy = stormy != (numbers.random() < 0.05)
        rows.append([day // 100, numbers.gauss(-0.3, 2) if stormy else numbers.gauss(0.1, 0.5), numbers.gauss(3 if stormy else 1, 0.5)])
    data = write_table(out.parent / "prices.csv", ["fund", "return", "volume"], rows)
    kullback("hmm", data, "--sequence", "fund", "--states", 2, "--seed", 1, "--quiet", "--out", out)


def factors(out):
    numbers = random.Random(1)
    rows = []
    for _ in range(300):
        a, b = numbers.gauss(0, 1), numbers.gauss(0, 1)
        rows.append([60 + m + numbers.gauss(0, 3) for m in (9 * a, 8 * a, 7 * a + 2 * b, 8 * b, 6 * b, 5 * b + 3 * a)])
    data = write_table(out.parent / "marks.csv", "algebra geometry physics reading essay history".split(), rows)
    kullback("factors", data, "--kind", "fa", "--factors", 4, "--seed", 1, "--quiet", "--out", out)


def houses(path, is_binary):
    numbers = random.Random(4)
    rows = []
    for _ in range(200):
        area, rooms, age, noise = numbers.uniform(4, 20), numbers.randint(1, 7), numbers.uniform(0, 8), numbers.gauss(0, 1)
        price = 2 * area + rooms - 0.5 * age + numbers.gauss(0, 3)
        rows.append([area, rooms, age, noise, int(price > 26) if is_binary else price])
    return write_table(path, ["area", "rooms", "age", "noise", "price"], rows)


def regress(out):
    kullback("regress", houses(out.parent / "houses.csv", False), "--target", "price", "--prior", "spike-slab", "--seed", 1,
             "--quiet", "--out", out)


def logistic(out):
    kullback("regress", houses(out.parent / "dear.csv", True), "--target", "price", "--kind", "logistic", "--prior", "ard", "--seed",
             1, "--quiet", "--out", out)


def bnn(out):
    kullback("bnn", houses(out.parent / "network.csv", False), "--target", "price", "--epochs", 60, "--hidden", 10, "--members", 2,
             "--validation", 0.3, "--seed", 1, "--threads", 1, "--quiet", "--out", out)


def bnn_classes(out):
    kullback("bnn", houses(out.parent / "classes.csv", True), "--target", "price", "--epochs", 40, "--hidden", 10, "--members", 2,
             "--validation", 0.3, "--seed", 1, "--threads", 1, "--quiet", "--out", out)


def vae(out):
    subprocess.run(["python3", ROOT / "tests" / "deep" / "make_images.py", "."], cwd=out.parent, check=True, stdout=subprocess.DEVNULL)
    kullback("vae", out.parent / "bars-images-idx3-ubyte", "--labels", out.parent / "bars-labels-idx1-ubyte", "--latent", 3,
             "--hidden", 32, "--epochs", 30, "--rate", 0.003, "--batch", 32, "--seed", 1, "--threads", 1, "--quiet", "--out", out)


def ebm(out):
    subprocess.run(["python3", ROOT / "tests" / "energy" / "make_rows.py", "."], cwd=out.parent, check=True, stdout=subprocess.DEVNULL)
    kullback("ebm", out.parent / "ring.csv", "--hidden", 16, "--epochs", 30, "--rate", 0.01, "--judge-every", 3, "--chains", 200, "--seed", 1,
             "--threads", 1, "--quiet", "--out", out)
    kullback("loglik", out, out.parent / "ring_new.csv", "--temperatures", 20, "--chains", 100, "--raise-rows", 5, "--threads", 1, "--quiet")


def diffusion(out):
    """Images, and a restoration beside them."""
    subprocess.run(["python3", ROOT / "tests" / "deep" / "make_images.py", "."], cwd=out.parent, check=True, stdout=subprocess.DEVNULL)
    kullback("diffusion", out.parent / "bars-images-idx3-ubyte", "--architecture", "mlp", "--hidden", 64, "--epochs", 20, "--seed", 1,
             "--threads", 1, "--quiet", "--out", out)
    (out / "restored").mkdir()
    shutil.copy(out / "samples.png", out / "restored" / "mean.png")
    (out / "restored" / "restore.json").write_text(json.dumps({"method": HOSTILE, "noise_sd": 0.1}))


def hostile(out):
    """A fit whose files name a quantity, a method and a finding with HTML. `kullback fit` writes none; others may."""
    nuts(out)
    for path in out.glob("chain-*.csv"):
        lines = path.read_text().split("\n")
        path.write_text("\n".join(line.replace("mu", HOSTILE.replace(",", ""), 1) if line.startswith("lp__") else line for line in lines))
    for name in ("summary.json", "run.json"):
        value = json.loads((out / name).read_text())
        value["findings"] = [{"code": "ess", "message": HOSTILE, "evidence": HOSTILE, "advice": HOSTILE}]
        if name == "run.json":
            del value["files"]  # else a file that was edited is refused
            value.update(method=HOSTILE, data=f"/tmp/{HOSTILE}")
            value["facts"] = {} if isinstance(value.get("facts"), dict) else value.get("facts")
        else:
            for row in value["parameters"]:
                row["name"] = HOSTILE if row["name"] == "mu" else row["name"]
        (out / name).write_text(json.dumps(value))
    (out / "model.stan").write_text(f"// {HOSTILE}\nparameters {{ real mu; }}\n")


def many(out):
    """10,000 parameters."""
    program = out.parent / "many.stan"
    program.write_text("parameters { vector[10000] x; }\nmodel { x ~ normal(0, 1); }\n")
    kullback("fit", program, "--method", "nuts", "--seed", 1, "--warmup", 30, "--draws", 60, "--chains", 2, "--max-depth", 5,
             "--quiet", "--out", out)


KINDS = [nuts, vi, ladder, optimize, interrupted, mixture, topics, hmm, factors, regress, logistic, hostile, many]
DEEP_KINDS = [bnn, bnn_classes, vae, ebm, diffusion]
