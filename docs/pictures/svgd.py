#!/usr/bin/env python3
"""Draws docs/pictures/svgd.svg: particles of SVGD on a crescent, after some iterations of one run.

  docs/pictures/svgd.py [--kullback build/kullback]

The target is x ~ normal(0, 1), y ~ normal(x^2 - 1, 0.5). Its contours are the circles (x, (y - x^2 + 1) / 0.5) has norm r.
"""
import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """parameters {
  real x;
  real y;
}
model {
  x ~ normal(0, 1);
  y ~ normal(square(x) - 1, 0.5);
}
"""
ITERATIONS = (1, 10, 30, 2000)
SIDE, MARGIN, TOP = 230, 12, 26
X, Y = (-3.6, 3.6), (-3.4, 3.8)


def particles(kullback, folder, iterations):
    program = folder / "crescent.stan"
    program.write_text(PROGRAM)
    out = folder / f"fit-{iterations}"
    subprocess.run([kullback, "fit", program, "--method", "svgd", "--svgd-start", "spread", "--max-iterations", str(iterations),
                    "--init", "0", "--seed", "3", "--out", out, "--quiet"], check=True)
    with (out / "chain-1.csv").open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [(float(row["x"]), float(row["y"])) for row in rows]


def place(panel, x, y):
    left = MARGIN + panel * (SIDE + MARGIN)
    return left + (x - X[0]) / (X[1] - X[0]) * SIDE, TOP + (Y[1] - y) / (Y[1] - Y[0]) * SIDE


def contour(panel, radius):
    points = []
    for step in range(201):
        angle = 2 * math.pi * step / 200
        x = radius * math.cos(angle)
        points.append("{:.1f},{:.1f}".format(*place(panel, x, x * x - 1 + 0.5 * radius * math.sin(angle))))
    return f'<polyline points="{" ".join(points)}" fill="none" stroke="#9db4c8" clip-path="url(#panel{panel})"/>'


def draw(panel, title, points):
    left = MARGIN + panel * (SIDE + MARGIN)
    frame = f'x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}"'
    parts = [f'<clipPath id="panel{panel}"><rect {frame}/></clipPath>',
             f'<rect {frame} fill="#f8fafb" stroke="#c5d0d8"/>',
             f'<text x="{left}" y="{TOP - 9}">{title}</text>']
    parts += [contour(panel, radius) for radius in (0.5, 1, 1.5, 2)]
    for x, y in points:
        across, down = place(panel, x, y)
        parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.6" fill="#b5432f" clip-path="url(#panel{panel})"/>')
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    kullback = parser.parse_args().kullback.resolve()
    width, height = MARGIN + len(ITERATIONS) * (SIDE + MARGIN), TOP + SIDE + MARGIN
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    with tempfile.TemporaryDirectory() as folder:
        for panel, iterations in enumerate(ITERATIONS):
            title = "at rest" if iterations == ITERATIONS[-1] else f"iteration {iterations}"
            parts += draw(panel, title, particles(kullback, pathlib.Path(folder), iterations))
    (ROOT / "docs/pictures/svgd.svg").write_text("\n".join([*parts, "</svg>", ""]))


if __name__ == "__main__":
    main()
