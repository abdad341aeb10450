#!/usr/bin/env python3
"""Draws the pictures of docs/objectives.md from fits by the program:
  kl_directions.svg   one Gaussian for two modes, by forward and reverse KL
  alphas.svg          factorised Gaussians for a correlated one, by the Renyi bound for several alpha
  bbvi.svg            the ELBO along black-box fits, with and without variance reduction

  docs/pictures/objectives.py [--kullback build/kullback]
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs/pictures"
COLORS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e5ea2", "#d98c00", "#555555", "#00808a")
STYLE = "<style>text{font-family:sans-serif;fill:#333}.title{font-size:14px}.small{font-size:11px}</style>"


class Fits:
    def __init__(self, kullback, folder):
        self.kullback, self.folder, self.count = kullback, folder, 0

    def run(self, model, *arguments):
        self.count += 1
        out = self.folder / str(self.count)
        data = ROOT / f"examples/{model}.json"
        command = [self.kullback, "fit", ROOT / f"examples/{model}.stan", *([data] if data.exists() else []), "--method", "vi",
                   "--family", "meanfield", *arguments, "--seed", "1", "--out", out, "--quiet"]
        subprocess.run(command, check=True)
        return out

    def moments(self, model, *arguments):
        out = self.run(model, *arguments, "--draws", "8192")
        rows = json.loads((out / "summary.json").read_text())["parameters"]
        return [(row["mean"], row["sd"]) for row in rows if row["name"].startswith("x")]


class Plot:
    """One panel with axes from `x` and `y`."""

    def __init__(self, x, y, width, height, margin=44):
        self.x, self.y, self.width, self.height, self.margin = x, y, width, height, margin
        self.parts = []

    def at(self, x, y):
        return (self.margin + (x - self.x[0]) / (self.x[1] - self.x[0]) * self.width,
                14 + (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height)

    def line(self, points, color, dash="", wide=1.8, fill="none"):
        text = " ".join("{:.1f},{:.1f}".format(*self.at(*point)) for point in points)
        self.parts.append(f'<polyline points="{text}" fill="{fill}" stroke="{color}" stroke-width="{wide}" '
                          f'stroke-dasharray="{dash}" stroke-linejoin="round"/>')

    def legend(self, entries):
        left = self.margin + self.width + 14
        for row, (name, color, dash) in enumerate(entries):
            y = 26 + 19 * row
            self.parts.append(f'<line x1="{left}" x2="{left + 22}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" stroke-width="2" '
                              f'stroke-dasharray="{dash}"/><text x="{left + 28}" y="{y}" class="small">{name}</text>')

    def write(self, name, x_ticks, y_ticks, x_name, y_name=""):
        for x in x_ticks:
            px, py = self.at(x, self.y[0])
            self.parts.append(f'<text x="{px:.1f}" y="{py + 15:.1f}" class="small" text-anchor="middle">{x:g}</text>')
        for y in y_ticks:
            px, py = self.at(self.x[0], y)
            self.parts.append(f'<text x="{px - 5:.1f}" y="{py + 4:.1f}" class="small" text-anchor="end">{y:g}</text>')
        left, top = self.at(self.x[0], self.y[1])
        width, height = self.margin + self.width + 205, self.height + 54
        body = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">', STYLE,
                '<rect width="100%" height="100%" fill="#fff"/>',
                f'<clipPath id="c"><rect x="{left}" y="{top}" width="{self.width}" height="{self.height}"/></clipPath>',
                f'<rect x="{left}" y="{top}" width="{self.width}" height="{self.height}" fill="#fff" stroke="#9aa0a8"/>',
                f'<text x="{left + self.width / 2}" y="{top + self.height + 32}" class="small" text-anchor="middle">{x_name}</text>',
                f'<text x="{left + 6}" y="{top + 14}" class="small">{y_name}</text>']
        body += [part if part.startswith("<line") or "<text" in part else part.replace("/>", ' clip-path="url(#c)"/>', 1)
                 for part in self.parts]
        (PICTURES / name).write_text("\n".join(body + ["</svg>", ""]))


def normal(x, mean, sd):
    return math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))


def draw_directions(fits):
    plot = Plot((-6, 6), (0, 0.75), 480, 240)
    grid = [-6 + 0.05 * i for i in range(241)]
    plot.line([(x, 0.65 * normal(x, -1.5, 0.7) + 0.35 * normal(x, 2, 0.7)) for x in grid], "#9aa0a8", wide=4)
    legend = [("the target", "#9aa0a8", "")]
    for (name, dash), color in zip((("elbo", ""), ("forward-kl", ""), ("msc", "6 4")), COLORS):
        (mean, sd), = fits.moments("two_modes", "--objective", name)
        plot.line([(x, normal(x, mean, sd)) for x in grid], color, dash)
        legend.append((f"{name}: mean {mean:.2f}, sd {sd:.2f}", color, dash))
    plot.legend(legend)
    plot.write("kl_directions.svg", range(-6, 7, 2), (0, 0.2, 0.4, 0.6), "x")


def draw_alphas(fits):
    plot = Plot((-3, 3), (-3, 3), 330, 330)
    s = ((2, 1.5), (1.5, 1.6))
    l11 = math.sqrt(s[0][0])
    l21 = s[1][0] / l11
    l22 = math.sqrt(s[1][1] - l21 ** 2)
    circle = [(math.cos(t * math.pi / 90), math.sin(t * math.pi / 90)) for t in range(181)]
    plot.line([(l11 * a, l21 * a + l22 * b) for a, b in circle], "#9aa0a8", wide=4)
    legend = [("the target, one sd", "#9aa0a8", "")]
    for alpha, color in zip((10, 1, 0.5, 0.2, -0.5, -1), COLORS):
        sds = [sd for _, sd in fits.moments("correlated", "--objective", "renyi", "--alpha", str(alpha), "--importance-draws", "100",
                                            "--grad-draws", "100")][:2]
        plot.line([(sds[0] * a, sds[1] * b) for a, b in circle], color)
        legend.append((f"alpha = {alpha:g}: sd {sds[0]:.2f}, {sds[1]:.2f}", color, ""))
    plot.legend(legend)
    plot.write("alphas.svg", range(-2, 3), range(-2, 3), "x[1]", "x[2]")


def draw_bbvi(fits):
    rows = (("score", "score"), ("score-loo", "score-loo"), ("score-cv", "score-cv"), ("rao-blackwell", "rao-blackwell"),
            ("stl (reparameterised)", "stl"))
    traces = []
    for name, estimator in rows:
        out = fits.run("counts", "--estimator", estimator, "--grad-draws", "8", "--learning-rate", "0.05", "--max-steps", "3000",
                       "--draws", "200")
        with open(out / "trace.csv") as file:
            traces.append([(float(row["iteration"]), float(row["bound"])) for row in csv.DictReader(file)])
    best = max(bound for trace in traces for _, bound in trace)
    last = max(iteration for trace in traces for iteration, _ in trace)
    plot = Plot((0, last), (best - 3, best + 0.5), 480, 260)
    for trace, color in zip(traces, COLORS):
        plot.line(trace, color)
    plot.legend([(name, color, "") for (name, _), color in zip(rows, COLORS)])
    plot.write("bbvi.svg", [500 * i for i in range(int(last) // 500 + 1)], [math.ceil(best - 3) + i for i in range(3)], "iteration",
               "ELBO, mean of a window")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kullback", default=ROOT / "build/kullback", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fits = Fits(options.kullback.resolve(), pathlib.Path(folder))
        draw_directions(fits)
        draw_alphas(fits)
        draw_bbvi(fits)


if __name__ == "__main__":
    main()
