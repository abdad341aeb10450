#!/usr/bin/env python3
"""Draws docs/pictures/calibrate.svg: where true values lie in posteriors of a mean-field and a full-rank Gaussian.

  docs/pictures/calibrate.py [--kullback build/kullback]

The program and its data are those of docs/calibrate.md.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = ("advi", "fullrank")
SIMULATIONS, BINS = 400, 20
WIDTH, HEIGHT, GAP, LEFT, TOP = 200, 110, 16, 12, 26


def program():
    text = (ROOT / "docs" / "calibrate.md").read_text()
    return re.search(r"```stan\n(.*?)```", text, re.DOTALL).group(1)


def data():
    return {"N": 10, "x": list(range(1, 11)), "y": [0] * 10}


def calibrate(kullback, folder, method):
    (folder / "line.stan").write_text(program())
    (folder / "line.json").write_text(json.dumps(data()))
    subprocess.run([kullback, "calibrate", folder / "line.stan", folder / "line.json", "--method", method, "--simulations",
                    str(SIMULATIONS), "--seed", "1", "--out", folder / method, "--quiet"], check=True)
    return json.loads((folder / method / "calibration.json").read_text())["parameters"]


def draw(row, column, method, parameter):
    left = LEFT + column * (WIDTH + GAP)
    top = TOP + row * (HEIGHT + GAP + TOP)
    counts = [0] * BINS
    for u in parameter["u"]:
        counts[min(int(u * BINS), BINS - 1)] += 1
    expected = len(parameter["u"]) / BINS
    largest = 6 * expected
    spread = 2.576 * math.sqrt(expected * (1 - 1 / BINS))

    def height(count):
        return HEIGHT * min(count, largest) / largest

    band = (top + HEIGHT - height(expected + spread), height(expected + spread) - height(expected - spread))
    parts = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="#f8fafb" stroke="#c5d0d8"/>',
             f'<rect x="{left}" y="{band[0]:.1f}" width="{WIDTH}" height="{band[1]:.1f}" fill="#d9e4ec"/>',
             f'<text x="{left}" y="{top - 8}">{method}, {parameter["name"]}: {parameter["verdict"]}</text>']
    for i, count in enumerate(counts):
        step = WIDTH / BINS
        parts.append(f'<rect x="{left + i * step + 1:.1f}" y="{top + HEIGHT - height(count):.1f}" width="{step - 2:.1f}" '
                     f'height="{height(count):.1f}" fill="#2f6690" fill-opacity="0.8"/>')
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", default=ROOT / "build" / "kullback", type=pathlib.Path)
    kullback = parser.parse_args().kullback.resolve()
    parts = []
    with tempfile.TemporaryDirectory() as scratch:
        for row, method in enumerate(METHODS):
            for column, parameter in enumerate(calibrate(kullback, pathlib.Path(scratch), method)):
                parts += draw(row, column, method, parameter)
    width, height = 2 * LEFT + 3 * WIDTH + 2 * GAP, 2 * (TOP + HEIGHT + GAP)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12" fill="#33424d">')
    (ROOT / "docs" / "pictures" / "calibrate.svg").write_text("\n".join([head, *parts, "</svg>"]) + "\n")


main()
