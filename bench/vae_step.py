#!/usr/bin/env python3
"""A training step of a variational autoencoder against PyTorch of the same version, on the CPU.

  bench/vae_step.py                  784-400-20, batches of 128 and 4096, two threads
  bench/vae_step.py --rounds 5

Both gather the rows of a minibatch from 10,000 images of bytes, binarise them, and do forward, backward and Adam. They take turns; a time
is the least over the rounds. PyTorch's wheel has MKL, ours is Debian's LibTorch with OpenBLAS. The exit code is 1 where ours is slower.
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rivals import venv  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCHES = (128, 4096)
RIVAL = r"""
import sys, time, torch
threads, batches = int(sys.argv[1]), [int(b) for b in sys.argv[2:]]
torch.set_num_threads(threads)
torch.manual_seed(1)
pixels = torch.randint(0, 256, (10000, 784), dtype=torch.uint8)

class Vae(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Sequential(torch.nn.Linear(784, 400), torch.nn.ReLU(), torch.nn.Linear(400, 40))
        self.decoder = torch.nn.Sequential(torch.nn.Linear(20, 400), torch.nn.ReLU(), torch.nn.Linear(400, 784))

    def loss(self, x):
        mean, log_sd = self.encoder(x).chunk(2, 1)
        z = mean + log_sd.exp() * torch.randn_like(mean)
        bce = torch.nn.functional.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="sum")
        kl = 0.5 * (mean.square() + (2 * log_sd).exp() - 1 - 2 * log_sd).sum()
        return (bce + kl) / x.shape[0]

for batch in batches:
    model = Vae()
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    steps = max(4, 200 * 128 // batch)
    best = float("inf")
    for _ in range(3):
        order = torch.randperm(10000)
        began = time.perf_counter()
        for i in range(steps):
            rows = order[torch.arange(i * batch, (i + 1) * batch) % 10000]
            x = pixels.index_select(0, rows).float() / 255
            x = (torch.rand_like(x) < x).float()
            adam.zero_grad(set_to_none=True)
            model.loss(x).backward()
            adam.step()
        best = min(best, (time.perf_counter() - began) / steps)
    print(f"batch {batch}: {1000 * best:.4f} ms a step", flush=True)
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--torch", default="1.13.1", help="version of PyTorch")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/deep/vae_step")
    return parser.parse_args()


def times(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    return {int(batch): float(ms) for batch, ms in re.findall(r"batch (\d+): ([\d.]+) ms", done.stdout)}


def main():
    options = arguments()
    python = venv.python_with(f"torch=={options.torch}", "numpy<2")
    commands = {"kullback": [options.program, "cpu", options.threads], "PyTorch": [python, "-c", RIVAL, options.threads, *BATCHES]}
    best = {name: {batch: float("inf") for batch in BATCHES} for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            for batch, ms in times(command).items():
                best[name][batch] = min(best[name].get(batch, ms), ms)
    print("| batch | kullback, ms a step | PyTorch | PyTorch : kullback |\n|---|---|---|---|")
    for batch in BATCHES:
        ours, theirs = best["kullback"][batch], best["PyTorch"][batch]
        print(f"| {batch} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} |")
    sys.exit(0 if all(best["kullback"][batch] <= best["PyTorch"][batch] for batch in BATCHES) else 1)


if __name__ == "__main__":
    main()
