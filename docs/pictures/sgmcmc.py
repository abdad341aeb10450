#!/usr/bin/env python3
"""Draws docs/pictures/sgmcmc.svg: how much too large variances come out, against the step size; and two modes.

  docs/pictures/sgmcmc.py [--kullback build/kullback]

Left: a standard normal in 50 dimensions by sgld and sghmc (friction 1), the mean variance of the coordinates with
lines for (1 - h/2)^-1 - 1 and (1 - e^2 / (4 - 2e))^-1 - 1. Right: draws of one chain on modes at -5 and 5, with a
constant and with a cyclical step size.
"""
import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NORMAL = "parameters {\n  vector[50] x;\n}\nmodel {\n  x ~ std_normal();\n}\n"
MODES = ("parameters {\n  real x;\n}\nmodel {\n"
         "  target += log_mix(0.5, normal_lpdf(x | -5, 1), normal_lpdf(x | 5, 1));\n}\n")
STEPS = (0.1, 0.2, 0.4, 0.8)
BIAS = {"sgld": lambda h: 1 / (1 - h / 2) - 1, "sghmc": lambda e: 1 / (1 - e * e / (4 - 2 * e)) - 1}
COLOURS = {"sgld": "#b5432f", "sghmc": "#2f6db5", "constant": "#b5432f", "cyclical": "#2f6db5"}
SIDE, WIDE, LEFT, GAP, TOP, BOTTOM = 260, 420, 60, 60, 30, 44


def fit(kullback, folder, program, *options):
    source = folder / "model.stan"
    source.write_text(program)
    out = folder / "fit"
    subprocess.run([kullback, "fit", source, "--chains", "1", "--seed", "2", "--force", "--quiet", "--out", out,
                    *options], check=True)
    with (out / "chain-1.csv").open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def excess(kullback, folder, method, step):
    friction = ["--sg-friction", "1"] if method == "sghmc" else []
    rows = fit(kullback, folder, NORMAL, "--method", method, "--metric", "unit", "--sg-step-size", str(step), "--sg-updates",
               "10", "--draws", "4000", *friction)
    names = [name for name in rows[0] if name.startswith("x.")]
    return sum(float(row[name]) ** 2 for row in rows for name in names) / len(rows) / len(names) - 1


def place(step, bias):
    across = LEFT + math.log(step / 0.08) / math.log(1.0 / 0.08) * SIDE
    return across, TOP + (math.log(1.0) - math.log(bias)) / (math.log(1.0) - math.log(0.002)) * SIDE


def bias_panel(kullback, folder):
    parts = [f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="#f8fafb" stroke="#c5d0d8"/>',
             f'<text x="{LEFT}" y="{TOP - 10}">excess of the variance, a standard normal</text>',
             f'<text x="{LEFT + SIDE / 2}" y="{TOP + SIDE + 36}" text-anchor="middle">step size</text>']
    for bias in (0.01, 0.1, 1):
        parts.append(f'<text x="{LEFT - 6}" y="{place(0.1, bias)[1] + 4:.1f}" text-anchor="end">{bias:g}</text>')
    for step in STEPS:
        parts.append(f'<text x="{place(step, 1)[0]:.1f}" y="{TOP + SIDE + 18}" text-anchor="middle">{step:g}</text>')
    for row, (method, formula) in enumerate(BIAS.items()):
        curve = " ".join("{:.1f},{:.1f}".format(*place(s, formula(s))) for s in (0.085 * 1.1 ** k for k in range(26))
                         if 0.002 < formula(s) < 1 and s <= 1)
        parts.append(f'<polyline points="{curve}" fill="none" stroke="{COLOURS[method]}"/>')
        parts.append(f'<text x="{LEFT + 12}" y="{TOP + 22 + 18 * row}" fill="{COLOURS[method]}">{method}</text>')
        for step in STEPS:
            found = max(excess(kullback, folder, method, step), 0.002)
            across, down = place(step, found)
            parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" fill="{COLOURS[method]}"/>')
    return parts


def modes_panel(kullback, folder):
    left = LEFT + SIDE + GAP
    parts = [f'<text x="{left}" y="{TOP - 10}">500 draws of one chain on two modes</text>']
    height = (SIDE - 24) / 2
    options = {"constant": [], "cyclical": ["--sg-schedule", "cyclical", "--sg-cycles", "20"]}
    for row, (name, more) in enumerate(options.items()):
        top = TOP + row * (height + 24)
        parts.append(f'<rect x="{left}" y="{top}" width="{WIDE}" height="{height}" fill="#f8fafb" stroke="#c5d0d8"/>')
        rows = fit(kullback, folder, MODES, "--method", "sgld", "--draws", "2000", "--thin", "4", *more)
        for n, draw in enumerate(rows):
            x = min(max(float(draw["x"]), -9), 9)
            parts.append(f'<circle cx="{left + WIDE * n / len(rows):.1f}" cy="{top + height * (9 - x) / 18:.1f}" r="1.2" '
                         f'fill="{COLOURS[name]}"/>')
        parts.append(f'<text x="{left}" y="{top + height + 16}" fill="{COLOURS[name]}">{name} step size</text>')
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", type=pathlib.Path, default=ROOT / "build/kullback")
    kullback = parser.parse_args().kullback.resolve()
    width, height = LEFT + SIDE + GAP + WIDE + 16, TOP + SIDE + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    with tempfile.TemporaryDirectory() as folder:
        parts += bias_panel(kullback, pathlib.Path(folder)) + modes_panel(kullback, pathlib.Path(folder))
    (ROOT / "docs/pictures/sgmcmc.svg").write_text("\n".join([*parts, "</svg>", ""]))


if __name__ == "__main__":
    main()
