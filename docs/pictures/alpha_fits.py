#!/usr/bin/env python3
"""Draws docs/pictures/alpha_fits.svg from what the example alpha_fits prints.

    build/examples/alpha_fits | python3 docs/pictures/alpha_fits.py > docs/pictures/alpha_fits.svg
"""
import math
import sys

SHOWN = {-2.0: "#1b3a6b", 0.0: "#2f6fb0", 0.5: "#3a9a8f", 1.0: "#d98c2b", 3.0: "#b5382f"}
NAMES = {-2.0: "α = −2", 0.0: "α = 0: KL(q, p)", 0.5: "α = ½: Hellinger", 1.0: "α = 1: KL(p, q)", 3.0: "α = 3"}
TARGET = (2.0, 1.5, 1.6)
SIZE, LEFT, TOP, SCALE = 360, 24, 40, 46  # of the left panel; pixels per unit
AXIS_X, AXIS_W, AXIS_H = 470, 300, 300


def ellipse(v1, c, v2, style):
    """Two standard deviations of N(0, [[v1, c], [c, v2]])."""
    angle = 0.5 * math.atan2(2 * c, v1 - v2)
    half, spread = (v1 + v2) / 2, math.hypot((v1 - v2) / 2, c)
    a, b = (2 * SCALE * math.sqrt(v) for v in (half + spread, half - spread))
    x, y = LEFT + SIZE / 2, TOP + SIZE / 2
    return (f'<ellipse cx="{x:g}" cy="{y:g}" rx="{a:.2f}" ry="{b:.2f}" '
            f'transform="rotate({-math.degrees(angle):.3f} {x:g} {y:g})" {style}/>')


def left_panel(fits):
    yield f'<text x="{LEFT}" y="24" class="title">Factorised q fitted to a correlated p</text>'
    for scale, opacity in ((1, 0.25), (0.25, 0.35)):
        v1, c, v2 = (scale * v for v in TARGET)
        yield ellipse(v1, c, v2, f'fill="#8a8f98" fill-opacity="{opacity}" stroke="none"')
    for alpha, v1, v2, _ in fits:
        if alpha in SHOWN:
            yield ellipse(v1, 0, v2, f'fill="none" stroke="{SHOWN[alpha]}" stroke-width="2.2"')
    yield f'<text x="{LEFT}" y="{TOP + SIZE - 2}" class="small">ellipses of 2 sd; grey: p (1 and 2 sd)</text>'


def right_panel(fits):
    low, high, top = -2.0, 3.0, 2.0
    place = lambda alpha, v: (AXIS_X + (alpha - low) / (high - low) * AXIS_W, TOP + 30 + AXIS_H * (1 - v / top))
    yield f'<text x="{AXIS_X}" y="24" class="title">Variance of q over that of p</text>'
    for v in (0, 0.5, 1, 1.5, 2):
        x, y = place(low, v)
        dash = "" if v in (0, 1) else ' stroke-dasharray="2 4"'
        yield f'<line x1="{x:g}" y1="{y:g}" x2="{x + AXIS_W:g}" y2="{y:g}" stroke="#9aa0a8"{dash}/>'
        yield f'<text x="{x - 8:g}" y="{y + 4:g}" class="small" text-anchor="end">{v:g}</text>'
    for alpha in range(-2, 4):
        x, y = place(alpha, 0)
        yield f'<text x="{x:g}" y="{y + 18:g}" class="small" text-anchor="middle">{str(alpha).replace("-", "−")}</text>'
    x, y = place(0.5, 0)
    yield f'<text x="{x:g}" y="{y + 38:g}" class="small" text-anchor="middle">α</text>'
    points = [place(alpha, v1 / TARGET[0]) for alpha, v1, _, _ in fits]
    line = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    yield f'<polyline points="{line}" fill="none" stroke="#555b64" stroke-width="2"/>'
    for alpha, v1, _, _ in fits:
        if alpha in SHOWN:
            x, y = place(alpha, v1 / TARGET[0])
            left = alpha == 3.0
            yield f'<circle cx="{x:.2f}" cy="{y:.2f}" r="5" fill="{SHOWN[alpha]}"/>'
            yield (f'<text x="{x + (-10 if left else 10):.2f}" y="{y + (-8 if left else 16):.2f}" class="label" '
                   f'text-anchor="{"end" if left else "start"}" style="fill:{SHOWN[alpha]}">{NAMES[alpha]}</text>')


def main():
    fits = [tuple(map(float, line.split())) for line in sys.stdin]
    style = ("text{font-family:system-ui,sans-serif;fill:#333}.title{font-size:16px;font-weight:600}"
             ".small{font-size:12px;fill:#555}.label{font-size:13px;font-weight:600}")
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 440" width="820" height="440">')
    print(f"<style>{style}</style>")
    print('<rect width="820" height="440" fill="#ffffff"/>')
    for line in (*left_panel(fits), *right_panel(fits)):
        print(line)
    print("</svg>")


if __name__ == "__main__":
    main()
