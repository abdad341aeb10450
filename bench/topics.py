#!/usr/bin/env python3
"""Latent Dirichlet allocation against scikit-learn's LatentDirichletAllocation and gensim's LdaModel and LdaMulticore.

  bench/topics.py                                    20,000 documents, vocabulary 5,000, 100 topics, 10 passes
  bench/topics.py --documents 5000 --passes 5
  bench/topics.py --systems sklearn-batch            one other system only

All have the same priors (alpha and eta 1/topics), the same rule to end a document (mean change of its topics below 0.001) and two
workers: threads of ours and of scikit-learn's BLAS count, n_jobs=2, workers=2. Seconds are those of a pass on the wall, and of the
processor in all processes, which is what to compare on a machine with other work; ours are of the whole command (start, reading,
results), over the passes. All are compared with our default, cavi; svi (without `--polish`) is shown. Document completion, in nats per token of the halves of 1,000 new documents, is by `kullback predict`
for all: the others' lambda is written into state.npy of a fit of ours. The exit code is 1 where ours is less than 5 times as fast as
another (on the wall: gensim's LdaModel leaves a core idle), or predicts worse than the best of them by more than 0.01 nats per token.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import venv  # noqa: E402

venv.rerun_with("numpy", "scipy", "scikit-learn", "gensim")
import numpy as np  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEMS = ["sklearn-batch", "sklearn-online", "gensim", "gensim-multicore"]
SPEED_GOAL, COMPLETION_GOAL = 5, 0.01
TICKS = os.sysconf("SC_CLK_TCK")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--vocabulary", type=int, default=5_000)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=150)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--systems", nargs="*", default=SYSTEMS, choices=SYSTEMS)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    return parser.parse_args()


def simulate(options, count, seed):
    """Documents as (words, counts); a document has two or three topics, a topic some hundred words."""
    beta = np.random.default_rng(0).dirichlet(np.full(options.vocabulary, 0.02), options.topics)
    cumulative = np.cumsum(beta, axis=1)
    rng = np.random.default_rng(seed)
    documents = []
    for theta in rng.dirichlet(np.full(options.topics, 0.02), count):
        parts = rng.multinomial(max(20, rng.poisson(options.tokens)), theta)
        words = [np.searchsorted(cumulative[k], rng.random(parts[k]) * cumulative[k, -1]) for k in np.nonzero(parts)[0]]
        documents.append(np.unique(np.concatenate(words), return_counts=True))
    return documents


def write(path, documents):
    with open(path, "w") as file:
        for words, counts in documents:
            file.write(f"{len(words)} " + " ".join(f"{w}:{c}" for w, c in zip(words, counts)) + "\n")


def processor_seconds():
    """Of this process, of what it waited for and of all that it started and that still runs."""
    parents, seconds = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        seconds[int(folder.name)] = sum(map(int, fields[11:15])) / TICKS
    mine = {os.getpid()}
    while True:
        more = {child for child, parent in parents.items() if parent in mine} - mine
        if not more:
            return sum(seconds[each] for each in mine)
        mine |= more


def timed(work):
    """Result, seconds on the wall and of the processor."""
    wall, processor = time.perf_counter(), processor_seconds()
    result = work()
    return result, time.perf_counter() - wall, processor_seconds() - processor


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def fit_sklearn(method):
    def fit(options, documents):
        from sklearn.decomposition import LatentDirichletAllocation

        offsets = np.cumsum([0] + [len(words) for words, _ in documents])
        matrix = csr_matrix((np.concatenate([c for _, c in documents]).astype(float), np.concatenate([w for w, _ in documents]), offsets),
                            shape=(len(documents), options.vocabulary))
        model = LatentDirichletAllocation(options.topics, learning_method=method, max_iter=options.passes, n_jobs=2, random_state=1,
                                          batch_size=1024, total_samples=len(documents))
        _, wall, processor = timed(lambda: model.fit(matrix))
        return model.components_, wall, processor
    return fit


def fit_gensim(is_multicore):
    def fit(options, documents):
        from gensim.models import LdaModel, LdaMulticore

        corpus = [list(zip(words.tolist(), counts.tolist())) for words, counts in documents]
        names = {i: str(i) for i in range(options.vocabulary)}
        common = dict(corpus=corpus, id2word=names, num_topics=options.topics, passes=options.passes, alpha="symmetric", eta="symmetric",
                      iterations=100, gamma_threshold=0.001, eval_every=None, random_state=1, chunksize=1024)
        model, wall, processor = timed(lambda: LdaMulticore(workers=2, **common) if is_multicore else LdaModel(**common))
        return model.state.get_lambda(), wall, processor
    return fit


FITS = {"sklearn-batch": fit_sklearn("batch"), "sklearn-online": fit_sklearn("online"), "gensim": fit_gensim(False),
        "gensim-multicore": fit_gensim(True)}


def ours(options, folder, method):
    """Folder of the fit, seconds of its passes, of the processor for the command."""
    out = folder / f"fit-{method}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([options.kullback, "topics", folder / "train.ldac", "--topics", options.topics, "--passes", options.passes, "--method", method,
         *(["--polish", 0] if method == "svi" else ["--bound-tol", "1e-12"]), "--seed", 1, "--threads", 2, "--quiet", "--no-units", "--force", "--out", out])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = float((out / "trace.csv").read_text().split()[-1].split(",")[3])
    return out, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def completion(options, folder, fit):
    run([options.kullback, "predict", fit, folder / "new.ldac", "--out", folder / "predicted", "--force"])
    return json.loads((folder / "predicted/summary.json").read_text())["mean_log_density"]


def completion_of(options, folder, fit, parameters):
    """State of our model: documents, alpha of each topic, no prior of its own, lambda word by word (src/conjugate/topics/lda.cpp)."""
    rival = folder / "rival"
    shutil.copytree(fit, rival, dirs_exist_ok=True)
    state = np.load(fit / "state.npy")
    parameters = np.pad(parameters.astype(float), ((0, 0), (0, options.vocabulary - parameters.shape[1])), constant_values=1 / options.topics)
    state[-options.topics * options.vocabulary:] = parameters.T.ravel()
    np.save(rival / "state.npy", state)
    return completion(options, folder, rival)


def compare(options, folder, documents):
    def line(name, wall, processor, value, speed=None):
        ratio = "" if speed is None else f"{speed[0]:.0f} / {speed[1]:.0f}"
        print(f"| {name} | {wall / options.passes:.3f} | {processor / options.passes:.3f} | {ratio} | {value:.4f} |", flush=True)

    print("| system | s of a pass | processor | kullback is times faster (wall / processor) | completion, nats per token |\n|---|---|---|---|---|")
    own = {}
    for method in ("cavi", "svi"):
        fit, wall, processor = ours(options, folder, method)
        own[method] = (fit, wall, processor, completion(options, folder, fit))
        line(f"kullback {method}", wall, processor, own[method][3])
    met = True
    for name in options.systems:
        parameters, wall, processor = FITS[name](options, documents)
        fit, our_wall, our_processor, our_value = own["cavi"]
        value = completion_of(options, folder, fit, parameters)
        speed = wall / our_wall, processor / our_processor
        line(name, wall, processor, value, speed)
        met = met and speed[0] >= SPEED_GOAL and our_value >= value - COMPLETION_GOAL
    return met


def main():
    options = arguments()
    options.kullback = options.kullback.resolve()
    documents = simulate(options, options.documents, 1)
    documents[0] = np.append(documents[0][0], options.vocabulary - 1), np.append(documents[0][1], 1)  # all words exist
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / "train.ldac", documents)
        write(folder / "new.ldac", simulate(options, 1000, 2))
        met = compare(options, folder, documents)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
