#!/usr/bin/env python3
"""Draws docs/pictures/polynomial.svg: predictive bands of a polynomial by ADVI, full rank and NUTS.

  docs/pictures/polynomial.py [--kullback build/kullback]
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = (("advi", "mean field"), ("fullrank", "full rank"), ("nuts", "NUTS"))
SIDE, HEIGHT, MARGIN, TOP, BOTTOM = 250, 230, 34, 30, 24
X, Y = (-1.3, 1.3), (-4.0, 4.0)


def fitted(kullback, folder, method):
    out = folder / method
    subprocess.run([kullback, "fit", ROOT / "examples/polynomial.stan", ROOT / "examples/polynomial.json", "--method", method,
                    "--seed", "1", "--out", out, "--quiet"], check=True)
    return {row["name"]: row for row in json.loads((out / "summary.json").read_text())["parameters"]}


def place(panel, x, y):
    left = MARGIN + panel * (SIDE + MARGIN)
    inside = min(max(y, Y[0]), Y[1])
    return left + (x - X[0]) / (X[1] - X[0]) * SIDE, TOP + (Y[1] - inside) / (Y[1] - Y[0]) * HEIGHT


def points_of(panel, xs, ys):
    return " ".join("{:.1f},{:.1f}".format(*place(panel, x, y)) for x, y in zip(xs, ys))


def band(panel, grid, rows, style):
    low = [row["q5"] for row in rows]
    high = [row["q95"] for row in rows]
    return f'<polygon points="{points_of(panel, grid + grid[::-1], high + low[::-1])}" {style}/>'


def draw_panel(panel, title, data, rows):
    grid = data["grid"]
    predicted = [rows[f"predicted[{i + 1}]"] for i in range(len(grid))]
    curve = [rows[f"curve[{i + 1}]"] for i in range(len(grid))]
    left, top = place(panel, X[0], Y[1])
    yield f'<rect x="{left}" y="{top}" width="{SIDE}" height="{HEIGHT}" fill="#fff" stroke="#9aa0a8"/>'
    yield f'<text x="{left}" y="{top - 9}" class="title">{title}</text>'
    yield band(panel, grid, predicted, 'fill="#2f6fb0" fill-opacity="0.2"')
    yield band(panel, grid, curve, 'fill="#2f6fb0" fill-opacity="0.35"')
    yield f'<polyline points="{points_of(panel, grid, [r["q50"] for r in curve])}" fill="none" stroke="#1b3a6b" stroke-width="1.8"/>'
    for x, y in zip(data["x"], data["y"]):
        at = place(panel, x, y)
        yield f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="2.6" fill="#b5382f"/>'
    for x in (-1, 0, 1):
        at = place(panel, x, Y[0])
        yield f'<text x="{at[0]:.1f}" y="{at[1] + 15:.1f}" class="small" text-anchor="middle">{x}</text>'
    for y in (-4, 0, 4):
        at = place(panel, X[0], y)
        yield f'<text x="{at[0] - 5:.1f}" y="{at[1] + 4:.1f}" class="small" text-anchor="end">{y}</text>'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", default=ROOT / "build/kullback", type=pathlib.Path)
    options = parser.parse_args()
    data = json.loads((ROOT / "examples/polynomial.json").read_text())
    width, height = MARGIN + len(METHODS) * (SIDE + MARGIN), TOP + HEIGHT + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
             "<style>text{font-family:sans-serif;fill:#333}.title{font-size:14px}.small{font-size:11px}</style>",
             '<rect width="100%" height="100%" fill="#fff"/>']
    with tempfile.TemporaryDirectory() as folder:
        for panel, (method, title) in enumerate(METHODS):
            parts += draw_panel(panel, title, data, fitted(options.kullback, pathlib.Path(folder), method))
    (ROOT / "docs/pictures/polynomial.svg").write_text("\n".join(parts + ["</svg>", ""]))


if __name__ == "__main__":
    main()
