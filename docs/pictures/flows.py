#!/usr/bin/env python3
"""Draws of flows on the banana and the funnel against the truth: docs/pictures/flows.svg.

    docs/pictures/flows.py [PROGRAM] [RESULT.svg]

Fits examples/banana.stan and examples/funnel.stan with PROGRAM (build/kullback) and draws the panels; the curves hold
50 and 95 percent of the true density. Needs Python alone.
"""

import csv
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAMILIES = [("fullrank", "full-rank Gaussian"), ("planar", "planar"), ("realnvp", "RealNVP"), ("spline", "spline")]
SHOWN = 500
SIDE, GAP, TOP, LEFT = 190, 14, 44, 34
SHARES = (0.5, 0.95)


def banana_curves():
    for share in SHARES:
        radius = math.sqrt(-2 * math.log(1 - share))
        turns = [2 * math.pi * k / 80 for k in range(81)]
        xs = [radius * math.cos(t) for t in turns]
        yield [(x, radius * math.sin(t) + 1.5 * (x * x - 1)) for x, t in zip(xs, turns)]


def funnel_curves():
    """Level sets of the density of (v, x[1]); the levels are quantiles over exact draws."""
    generator = random.Random(1)
    logs = []
    for _ in range(20000):
        v = generator.gauss(0, 3)
        z = generator.gauss(0, 1)
        logs.append(-v * v / 18 - z * z / 2 - v / 2)
    logs.sort(reverse=True)
    for share in SHARES:
        level = logs[int(share * len(logs))]
        right = []
        for k in range(241):
            v = -12 + 24 * k / 240
            room = -v * v / 18 - v / 2 - level
            if room >= 0:
                right.append((math.sqrt(2 * math.exp(v) * room), v))
        yield right + [(-x, v) for x, v in reversed(right)] + right[:1]


TARGETS = [
    ("banana", ("x", "y"), (-3.6, 3.6), (-5.0, 12.0), list(banana_curves())),
    ("funnel", ("x.1", "v"), (-14.0, 14.0), (-10.0, 9.0), list(funnel_curves())),
]


def fit(program, model, family, columns):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "fit"
        subprocess.run(
            [program, "fit", str(ROOT / f"examples/{model}.stan"), "--method", "vi", "--family", family, "--seed", "1",
             "--draws", str(SHOWN), "--out", str(out), "--quiet"],
            check=True)
        with open(out / "chain-1.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [tuple(float(row[column]) for column in columns) for row in rows[-SHOWN:]]


def panel(left, top, target, points):
    _, _, (x0, x1), (y0, y1), curves = target

    def place(x, y):
        return left + SIDE * (x - x0) / (x1 - x0), top + SIDE * (y1 - y) / (y1 - y0)

    clip = f"c{left}-{top}"
    yield f'<clipPath id="{clip}"><rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}"/></clipPath>'
    yield f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>'
    dots = "".join("M{:.1f} {:.1f}h0".format(*place(x, y)) for x, y in points)
    yield f'<g clip-path="url(#{clip})"><path d="{dots}" stroke="#2166ac" stroke-width="2.6" stroke-opacity="0.55"/>'
    for curve in curves:
        line = "L".join("{:.1f} {:.1f}".format(*place(x, y)) for x, y in curve)
        yield f'<path d="M{line}" fill="none" stroke="#b2182b" stroke-width="1.3" stroke-linecap="butt"/>'
    yield "</g>"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/kullback")
    result = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs/pictures/flows.svg")
    width = LEFT + len(FAMILIES) * (SIDE + GAP)
    height = TOP + len(TARGETS) * (SIDE + GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13" stroke-linecap="round">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for column, (_, title) in enumerate(FAMILIES):
        lines.append(f'<text x="{LEFT + column * (SIDE + GAP) + SIDE / 2}" y="{TOP - 14}" text-anchor="middle">{title}</text>')
    for row, target in enumerate(TARGETS):
        top = TOP + row * (SIDE + GAP)
        lines.append(f'<text transform="translate(20 {top + SIDE / 2}) rotate(-90)" text-anchor="middle">{target[0]}</text>')
        for column, (family, _) in enumerate(FAMILIES):
            points = fit(program, target[0], family, target[1])
            lines.extend(panel(LEFT + column * (SIDE + GAP), top, target, points))
    lines.append("</svg>")
    result.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(result)


if __name__ == "__main__":
    main()
