#!/usr/bin/env python3
"""Draws docs/pictures/certificate.svg: what both witnesses say of three approximations of eight schools.

  docs/pictures/certificate.py [--kullback build/kullback]

Fits of examples/eight_schools.stan are judged by `kullback certify`, which asks the chains also where the
weights have nothing to say; the numbers are those of certificate.json.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = ("laplace", "fullrank", "flow")
MOMENTS = ("mean", "sd")
TOLERANCE, LARGEST = 0.1, 0.5
WIDTH, ROW, GAP, LEFT, TOP, FOOT = 200, 20, 16, 44, 40, 54
WITNESSES = (("importance", "#2f6690", -4), ("chains", "#c8553d", 4))


def certificate(kullback, folder, method):
    fit = folder / method
    subprocess.run([kullback, "fit", ROOT / "examples" / "eight_schools.stan", ROOT / "examples" / "eight_schools.json",
                    "--method", method, "--draws", "4000", "--seed", "1", "--out", fit, "--quiet"], check=True)
    subprocess.run([kullback, "certify", fit, "--tolerance", str(TOLERANCE), "--quiet"], check=False)
    return json.loads((fit / "certificate.json").read_text())


def number(value):
    """JSON has no infinity and no NaN: they are strings there."""
    return float(value)


def interval(left, y, testimony, colour):
    def place(error):
        return left + WIDTH / 2 * (1 + max(-1.0, min(1.0, error / LARGEST)))

    low, high, middle = (number(testimony[key]) for key in ("low", "high", "estimate"))
    parts = [f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>']
    fill = colour if testimony["supports"] else "#ffffff"
    if abs(middle) <= LARGEST:  # not NaN, which says that there is no estimate
        parts.append(f'<circle cx="{place(middle):.1f}" cy="{y}" r="2.6" fill="{fill}" stroke="{colour}" stroke-width="1.2"/>')
    elif abs(middle) > LARGEST:  # an arrow at the edge
        edge, inside = (left + WIDTH - 1, -6) if middle > 0 else (left + 1, 6)
        parts.append(f'<path d="M{edge} {y} l{inside} -3.5 v7 z" fill="{fill}" stroke="{colour}" stroke-width="1.2"/>')
    return parts


def moment_of(parameter, moment):
    """Heavy tails are judged by median and interquartile range."""
    quantile = {"mean": "median", "sd": "iqr"}[moment]
    return parameter.get(f"{moment}_witnesses") or parameter[f"{quantile}_witnesses"]


def panel(row, column, certified, moment):
    parameters = certified["parameters"]
    height = ROW * len(parameters)
    left = LEFT + column * (WIDTH + GAP)
    top = TOP + row * (height + TOP)
    band = WIDTH / 2 * TOLERANCE / LARGEST
    middle = left + WIDTH / 2
    parts = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{height}" fill="#f8fafb" stroke="#c5d0d8"/>',
             f'<rect x="{middle - band:.1f}" y="{top}" width="{2 * band:.1f}" height="{height}" fill="#d9e4ec"/>',
             f'<line x1="{middle}" x2="{middle}" y1="{top}" y2="{top + height}" stroke="#9fb0bc"/>']
    for i, parameter in enumerate(parameters):
        y = top + ROW * (i + 0.5)
        if column == 0:
            parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{parameter["name"]}</text>')
        for name, colour, shift in WITNESSES:
            testimony = moment_of(parameter, moment)[name]
            if testimony:
                parts += interval(left, y + shift, testimony, colour)
    return parts, left, top, height


def legend(top):
    parts, left = [], LEFT
    for text, colour, fill in (("importance weights", "#2f6690", "#2f6690"), ("chains", "#c8553d", "#c8553d"),
                               ("chains that have not forgotten their start", "#c8553d", "#ffffff")):
        parts += [f'<line x1="{left}" x2="{left + 22}" y1="{top}" y2="{top}" stroke="{colour}" stroke-width="2"/>',
                  f'<circle cx="{left + 11}" cy="{top}" r="2.6" fill="{fill}" stroke="{colour}" stroke-width="1.2"/>',
                  f'<text x="{left + 28}" y="{top + 4}">{text}</text>']
        left += 44 + 6.6 * len(text)
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", default=ROOT / "build" / "kullback", type=pathlib.Path)
    kullback = parser.parse_args().kullback.resolve()
    parts = []
    with tempfile.TemporaryDirectory() as scratch:
        for column, method in enumerate(METHODS):
            certified = certificate(kullback, pathlib.Path(scratch), method)
            for row, moment in enumerate(MOMENTS):
                drawn, left, top, height = panel(row, column, certified, moment)
                what = "mean, in sds" if moment == "mean" else "sd, log scale"
                parts += [*drawn, f'<text x="{left}" y="{top - 7}">error of the {what}</text>']
                if row == 0:
                    parts.append(f'<text x="{left}" y="{top - 22}" font-weight="bold">{method}: {certified["verdict"]}</text>')
                if row == len(MOMENTS) - 1:
                    for error in (-LARGEST, -TOLERANCE, TOLERANCE, LARGEST):
                        x = left + WIDTH / 2 * (1 + error / LARGEST)
                        anchor = {-LARGEST: "start", LARGEST: "end"}.get(error, "middle")
                        parts.append(f'<text x="{x:.1f}" y="{top + height + 15}" text-anchor="{anchor}" font-size="10">{error:g}</text>')
                bottom = top + height
    width, height = LEFT + 3 * WIDTH + 2 * GAP + 14, bottom + FOOT
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12" fill="#33424d">')
    background = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    lines = [head, background, *parts, *legend(bottom + 36), "</svg>"]
    (ROOT / "docs" / "pictures" / "certificate.svg").write_text("\n".join(lines) + "\n")


main()
