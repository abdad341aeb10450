#!/usr/bin/env python3
"""Diffusion on MNIST with one GPU: bench/mnist_diffusion.py --program build/kullback-deep --data FOLDER --out FOLDER

Trains a class-conditional model for at most ten minutes, then
  - the accuracy of an independent small classifier (trained here on MNIST's training images, itself checked on the test
    images) on 1,000 samples of each class: at least 97 %;
  - the shares of the classes among 10,000 samples without a label, against those of the training images: within 2 points;
  - the variational bound on test images (bits per dimension, of the levels, without dequantisation);
  - milliseconds of a training step against PyTorch's whole-step CUDA graph of the same network: at most 1.2 times.
FOLDER has MNIST's four IDX files, plain or .gz. Needs PyTorch
with CUDA. The exit code is 1 where a promise is missed.
"""
import argparse
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FILTERS = (32, 64, 64)  # the default: 1,000 digits are drawn on two CPU cores in minutes
BATCH = 256
GUIDANCE = (0, 0.5)  # the promise is about 0
ROWS = 54_000  # of 60,000 a tenth is held out


def idx_file(folder, name):
    plain = folder / name
    return plain if plain.exists() else folder / (name + ".gz")


def read_idx(path):
    data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def run(*words):
    print("$", *words, flush=True)
    subprocess.run([str(word) for word in words], check=True)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1),
                                  nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 49, 128), nn.ReLU(),
                                  nn.Linear(128, 10))

    def forward(self, x):
        return self.body(x)


def train_classifier(images, labels):
    torch.manual_seed(7)
    net = Classifier().cuda()
    adam = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(8):
        for rows in torch.randperm(len(images), device="cuda").split(256):
            adam.zero_grad()
            F.cross_entropy(net(images[rows]), labels[rows]).backward()
            adam.step()
    return net.eval()


def classes_of(net, pixels):
    with torch.no_grad():
        return torch.cat([net(part).argmax(1) for part in as_images(pixels).split(2000)])


def as_images(pixels):
    return torch.as_tensor(np.clip(pixels, 0, 255), dtype=torch.float32, device="cuda").view(-1, 1, 28, 28) / 255


class Block(nn.Module):
    """As in src/deep/diffusion/nets/unet.cpp."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.first, self.second = nn.Conv2d(inputs, outputs, 3, padding=1), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.shift = nn.Linear(128, 2 * outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, embedding):
        y = self.first(F.silu(F.group_norm(x, 8)))
        scale, shift = self.shift(embedding)[:, :, None, None].chunk(2, 1)
        return self.second(F.silu(F.group_norm(y, 8) * (1 + scale) + shift)) + self.skip(x)


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(43, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU())
        self.enter = nn.Conv2d(1, FILTERS[0], 3, padding=1)
        before = (FILTERS[0],) + FILTERS[:-1]
        self.down = nn.ModuleList(Block(a, b) for a, b in zip(before, FILTERS))
        self.middle = Block(FILTERS[-1], FILTERS[-1])
        above = (FILTERS[-1],) + FILTERS[:0:-1]
        self.up = nn.ModuleList(Block(a + b, b) for a, b in zip(above, FILTERS[::-1]))
        self.leave = nn.Conv2d(FILTERS[0], 1, 3, padding=1)

    def forward(self, x, c, label):
        frequency = 0.5 * torch.exp(torch.arange(16, device="cuda") * (3.4657359 / 15))
        angle = c[:, None] * frequency
        embedding = self.embed(torch.cat([c[:, None], angle.sin(), angle.cos(), label], 1))
        y, kept = self.enter(x), []
        for i, block in enumerate(self.down):
            y = block(F.avg_pool2d(y, 2) if i else y, embedding)
            kept.append(y)
        y = self.middle(y, embedding)
        for i, block in enumerate(self.up):
            if i:
                y = F.interpolate(y, size=kept[-1 - i].shape[2:])
            y = block(torch.cat([y, kept[-1 - i]], 1), embedding)
        return self.leave(F.silu(F.group_norm(y, 8)))


def pytorch_step(images, labels, steps=300):
    """Milliseconds of a training step: gather, noise, network, Adam, running mean; captured as one graph."""
    net = Unet().cuda()
    parameters = list(net.parameters())
    mean = [p.detach().clone() for p in parameters]
    adam = torch.optim.Adam(parameters, 1e-3, capturable=True, fused=True)
    rows = torch.zeros(BATCH, dtype=torch.int64, device="cuda")

    def step():
        rows.random_(0, len(images))
        x, label = images[rows], F.one_hot(labels[rows], 10).float()
        label = label * (torch.rand(BATCH, 1, device="cuda") >= 0.1)
        t = 1e-3 + 0.999 * torch.rand(BATCH, device="cuda", dtype=torch.float64)
        whole = (0.1 + 9.95 * t) * t
        alpha, sigma = torch.exp(-whole / 2).float(), torch.sqrt(-torch.expm1(-whole)).float()
        column = lambda v: v[:, None, None, None]
        state = column(alpha) * x + column(sigma) * torch.randn_like(x)
        d = column(alpha) * state + column(sigma) * net(state, torch.log(sigma / alpha) / 4, label)
        loss = ((alpha / sigma) ** 2 * (d - x).square().sum((1, 2, 3))).mean() / 784
        adam.zero_grad(set_to_none=False)
        loss.backward()
        adam.step()
        torch._foreach_lerp_(mean, [p.detach() for p in parameters], 1e-3)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(steps):
        graph.replay()
    torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - began) / steps


def step_of_run(folder):
    """Milliseconds of a step, from the epochs after the first: held-out figures are judged once at the end."""
    seconds = [float(row["seconds"]) for row in csv.DictReader(open(folder / "training.csv"))]
    return 1000 * (seconds[-2] - seconds[0]) / (len(seconds) - 2) / -(-ROWS // BATCH)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/kullback-deep"))
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=250)
    parser.add_argument("--precision", default="tf32")
    parser.add_argument("--label-dropout", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weighting", default="auto")
    parser.add_argument("--times", default="auto")
    options = parser.parse_args()
    images, labels = idx_file(options.data, "train-images-idx3-ubyte"), idx_file(options.data, "train-labels-idx1-ubyte")
    new_images, new_labels = idx_file(options.data, "t10k-images-idx3-ubyte"), idx_file(options.data, "t10k-labels-idx1-ubyte")
    if options.precision == "tf32":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    model = options.out / "model"
    began = time.time()
    run(options.program, "diffusion", images, "--labels", labels, "--conditional", "--filters", ",".join(map(str, FILTERS)), "--batch",
        BATCH, "--epochs", options.epochs, "--judge-every", options.epochs, "--precision", options.precision, "--label-dropout",
        options.label_dropout, "--weighting", options.weighting, "--times", options.times, "--seed",
        options.seed, "--device", "cuda", "--force", "--out", model)
    minutes = (time.time() - began) / 60
    for guidance in GUIDANCE:
        run(options.program, "sample", model, "--count", 10_000, "--steps", 50, "--guidance", guidance, "--force", "--out",
            options.out / f"by_class_{guidance}.npy")
    run(options.program, "sample", model, "--count", 10_000, "--steps", 50, "--label", "none", "--seed", 2, "--force", "--out",
        options.out / "free.npy")
    run(options.program, "loglik", model, new_images, "--labels", new_labels, "--rows", 500, "--tolerance", "1e-3", "--probes", 2,
        "--force")

    x, y = as_images(read_idx(images)), torch.as_tensor(read_idx(labels).astype(np.int64), device="cuda")
    net = train_classifier(x, y)
    test = read_idx(new_images), read_idx(new_labels)
    on_test = (classes_of(net, test[0]).cpu().numpy() == test[1]).mean()
    wanted = np.array([int(name) for name in json.load(open(model / "model.json"))["labels"]])
    accuracies = [(classes_of(net, np.load(options.out / f"by_class_{guidance}.npy")).cpu().numpy()
                   == wanted[np.arange(10_000) % 10]).mean() for guidance in GUIDANCE]
    shares = np.bincount(classes_of(net, np.load(options.out / "free.npy")).cpu().numpy(), minlength=10) / 10_000
    truth = np.bincount(y.cpu().numpy(), minlength=10) / len(y)
    ours, theirs = step_of_run(model), pytorch_step((x - x.mean()) / x.std(), y)
    figures = json.load(open(model / "loglik.json"))
    promises = [("minutes of training", minutes, minutes <= 10), ("accuracy on samples", accuracies[0], accuracies[0] >= 0.97),
                ("largest error of a share", abs(shares - truth).max(), abs(shares - truth).max() <= 0.02),
                ("step against PyTorch's graph", ours / theirs, ours / theirs <= 1.2)]
    print("accuracy by guidance", ", ".join(f"{g}: {a:.4f}" for g, a in zip(GUIDANCE, accuracies)))
    print(f"classifier on test images {on_test:.4f}; step {ours:.3f} ms, PyTorch {theirs:.3f} ms")
    print(f"bound of the levels {figures['bound']['mean']:.2f} nats, {-figures['bound']['mean'] / 784 / np.log(2):.3f} bits per dimension; "
          f"flow, dequantised uniformly, {figures['bits_per_dim']:.3f}")
    for name, figure, is_kept in promises:
        print(f"{name:30} {figure:.4f} {'kept' if is_kept else 'MISSED'}")
    return 0 if all(kept for _, _, kept in promises) else 1


if __name__ == "__main__":
    sys.exit(main())
