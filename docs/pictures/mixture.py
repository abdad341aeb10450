#!/usr/bin/env python3
"""Draws docs/pictures/mixture.svg: 100 points each from N(-5, 2^2) and N(5, 2^2) and the two fitted components.

  docs/pictures/mixture.py [--kullback build/kullback]
"""
import argparse
import csv
import math
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, LEFT, TOP, STRIP = 640, 240, 20, 16, 40
X, TOP_DENSITY = (-13.0, 13.0), 0.125
COLOURS = ((47, 111, 176), (181, 56, 47))


def points():
    generator = random.Random(1)
    return [generator.gauss(mean, 2) for mean in (-5, 5) for _ in range(100)]


def fitted(kullback, folder, data):
    (folder / "data.csv").write_text("x\n" + "\n".join(map(repr, data)) + "\n")
    out = folder / "fit"
    subprocess.run([kullback, "mixture", folder / "data.csv", "--components", "2", "--seed", "1", "--out", out, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)

    def table(name):
        with open(out / name, newline="") as file:
            return list(csv.DictReader(file))
    variances = [float(row["x"]) for row in table("covariances.csv")]
    components = [(float(row["weight"]), float(row["mean_x"]), v) for row, v in zip(table("components.csv"), variances)]
    shares = [float(row["p1"]) for row in table("responsibilities.csv")]
    return components, shares


def density(component, x):
    weight, mean, variance = component
    return weight * math.exp(-0.5 * (x - mean) ** 2 / variance) / math.sqrt(2 * math.pi * variance)


def place(x, y):
    return LEFT + (x - X[0]) / (X[1] - X[0]) * WIDTH, TOP + (1 - y / TOP_DENSITY) * HEIGHT


def curve(function, style):
    grid = [X[0] + (X[1] - X[0]) * i / 260 for i in range(261)]
    path = " ".join("{:.1f},{:.1f}".format(*place(x, function(x))) for x in grid)
    return f'<polyline points="{path}" fill="none" {style}/>'


def colour(share):
    return "rgb({},{},{})".format(*(round(share * a + (1 - share) * b) for a, b in zip(*COLOURS)))


def draw(data, components, shares):
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 2 * LEFT} {HEIGHT + TOP + STRIP + 24}" '
           'font-family="sans-serif" font-size="12">')
    yield '<rect width="100%" height="100%" fill="#fff"/>'
    width = 1.0
    for i in range(int(X[1] - X[0])):
        low = X[0] + i * width
        share = sum(low <= x < low + width for x in data) / len(data) / width
        if share > 0:
            left, top = place(low, share)
            yield (f'<rect x="{left:.1f}" y="{top:.1f}" width="{WIDTH / (X[1] - X[0]) - 1:.1f}" '
                   f'height="{TOP + HEIGHT - top:.1f}" fill="#e3e6ea"/>')
    for k, component in enumerate(components):
        stroke = "rgb({},{},{})".format(*COLOURS[k])
        yield curve(lambda x, c=component: density(c, x), f'stroke="{stroke}" stroke-width="2"')
        at = place(component[1], density(component, component[1]))
        yield (f'<text x="{at[0]:.1f}" y="{at[1] - 8:.1f}" text-anchor="middle" fill="{stroke}">'
               f'mean {component[1]:.2f}, sd {math.sqrt(component[2]):.2f}</text>')
    yield curve(lambda x: sum(density(c, x) for c in components), 'stroke="#333" stroke-width="1" stroke-dasharray="4 3"')
    jitter = random.Random(2)
    for x, share in zip(data, shares):
        at = place(x, 0)
        yield (f'<circle cx="{at[0]:.1f}" cy="{TOP + HEIGHT + 8 + (STRIP - 14) * jitter.random():.1f}" r="2.4" '
               f'fill="{colour(share)}" fill-opacity="0.75"/>')
    for x in range(-10, 11, 5):
        yield f'<text x="{place(x, 0)[0]:.1f}" y="{TOP + HEIGHT + STRIP + 16}" text-anchor="middle" fill="#555">{x}</text>'
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", default=ROOT / "build/kullback")
    options = parser.parse_args()
    data = points()
    with tempfile.TemporaryDirectory() as name:
        components, shares = fitted(options.kullback, pathlib.Path(name), data)
    (ROOT / "docs/pictures/mixture.svg").write_text("\n".join(draw(data, components, shares)) + "\n")


if __name__ == "__main__":
    main()
