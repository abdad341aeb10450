#!/usr/bin/env python3
"""Draws docs/pictures/network_band.svg: what networks predict between and beyond the rows they saw.

  docs/pictures/network_band.py [--kullback build/kullback] [--posteriors map,sghmc]
"""
import argparse
import csv
import math
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDE, HEIGHT, MARGIN, TOP, BOTTOM = 320, 240, 34, 30, 24
X, Y = (-3.5, 3.5), (-3.0, 3.0)


def rows():
    draw = random.Random(1)
    for _ in range(80):
        x = draw.choice((draw.uniform(-2, -0.7), draw.uniform(0.7, 2)))
        yield x, math.sin(2 * x) + 0.3 * x + draw.gauss(0, 0.15)


def predicted(kullback, folder, posterior, grid):
    data = list(rows())
    (folder / "train.csv").write_text("x,y\n" + "".join(f"{x:.5f},{y:.5f}\n" for x, y in data))
    (folder / "grid.csv").write_text("x\n" + "".join(f"{x:.5f}\n" for x in grid))
    model, out = folder / posterior, folder / f"{posterior}-predictions"
    subprocess.run([kullback, "bnn", folder / "train.csv", "--target", "y", "--posterior", posterior, "--hidden", "50,50",
                    "--activation", "tanh", "--prior-scale", "3", "--epochs", "1000", "--validation", "0", "--seed", "1", "--quiet",
                    "--out", model],
                   check=True)
    subprocess.run([kullback, "predict", model, folder / "grid.csv", "--quiet", "--out", out], check=True)
    with open(out / "predictions.csv", encoding="utf-8") as file:
        return data, [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def place(panel, x, y):
    left = MARGIN + panel * (SIDE + MARGIN)
    inside = min(max(y, Y[0]), Y[1])
    return left + (x - X[0]) / (X[1] - X[0]) * SIDE, TOP + (Y[1] - inside) / (Y[1] - Y[0]) * HEIGHT


def points_of(panel, xs, ys):
    return " ".join("{:.1f},{:.1f}".format(*place(panel, x, y)) for x, y in zip(xs, ys))


def band(panel, grid, low, high, style):
    return f'<polygon points="{points_of(panel, grid + grid[::-1], high + low[::-1])}" {style}/>'


def draw_panel(panel, title, data, grid, lines):
    left, top = place(panel, X[0], Y[1])
    yield f'<rect x="{left}" y="{top}" width="{SIDE}" height="{HEIGHT}" fill="#fff" stroke="#9aa0a8"/>'
    yield f'<text x="{left}" y="{top - 9}" class="title">{title}</text>'
    yield band(panel, grid, [r["q5"] for r in lines], [r["q95"] for r in lines], 'fill="#2f6fb0" fill-opacity="0.2"')
    yield band(panel, grid, [r["mean"] - 1.645 * r["epistemic_sd"] for r in lines],
               [r["mean"] + 1.645 * r["epistemic_sd"] for r in lines], 'fill="#2f6fb0" fill-opacity="0.35"')
    yield f'<polyline points="{points_of(panel, grid, [r["mean"] for r in lines])}" fill="none" stroke="#1b3a6b" stroke-width="1.8"/>'
    for x, y in data:
        at = place(panel, x, y)
        yield f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="2.2" fill="#b5382f"/>'
    for x in (-3, 0, 3):
        at = place(panel, x, Y[0])
        yield f'<text x="{at[0]:.1f}" y="{at[1] + 15:.1f}" class="small" text-anchor="middle">{x}</text>'
    for y in (-3, 0, 3):
        at = place(panel, X[0], y)
        yield f'<text x="{at[0] - 5:.1f}" y="{at[1] + 4:.1f}" class="small" text-anchor="end">{y}</text>'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", default=ROOT / "build/kullback", type=pathlib.Path)
    parser.add_argument("--posteriors", default="map,sghmc")
    options = parser.parse_args()
    names = options.posteriors.split(",")
    grid = [X[0] + i * (X[1] - X[0]) / 140 for i in range(141)]
    width, height = MARGIN + len(names) * (SIDE + MARGIN), TOP + HEIGHT + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
             "<style>text{font-family:sans-serif;fill:#333}.title{font-size:14px}.small{font-size:11px}</style>",
             '<rect width="100%" height="100%" fill="#fff"/>']
    with tempfile.TemporaryDirectory() as folder:
        for panel, name in enumerate(names):
            data, lines = predicted(options.kullback, pathlib.Path(folder), name, grid)
            parts += draw_panel(panel, name, data, grid, lines)
    (ROOT / "docs/pictures/network_band.svg").write_text("\n".join(parts + ["</svg>", ""]))


if __name__ == "__main__":
    main()
