"""Power against error/tolerance, as an SVG."""
import math

COLORS = {"regressions": "#1b6ca8", "others": "#c0392b"}
STYLE = "<style>text{font-family:sans-serif;fill:#333}.small{font-size:11px}</style>"
LEFT, TOP, WIDTH, HEIGHT = 48, 14, 460, 250
LEAST, MOST = 1 / 32, 4.0   # of error/tolerance; what lies outside counts at the edge


def bins(judged):
    """(geometric middle of error/tolerance, share of met, count) of half octaves that have a fit."""
    found = {}
    for one in judged:
        if math.isnan(one.ratio):
            continue
        place = math.floor(2 * math.log2(min(max(one.ratio, LEAST), MOST * 0.999)))
        met, count = found.get(place, (0, 0))
        found[place] = (met + one.is_met, count + 1)
    return [(2 ** ((place + 0.5) / 2), met / count, count) for place, (met, count) in sorted(found.items())]


def at(ratio, share):
    return LEFT + WIDTH * math.log(ratio / LEAST) / math.log(MOST / LEAST), TOP + HEIGHT * (1 - share)


def draw(groups):
    """`groups`: name to judged fits."""
    width, height = LEFT + WIDTH + 150, TOP + HEIGHT + 44
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">', STYLE,
             '<rect width="100%" height="100%" fill="#fff"/>',
             f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="#fff" stroke="#9aa0a8"/>']
    for ratio in (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4):
        x, y = at(ratio, 0)
        parts.append(f'<text x="{x:.1f}" y="{y + 15:.1f}" class="small" text-anchor="middle">{ratio:g}</text>')
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x, y = at(LEAST, share)
        parts.append(f'<text x="{x - 5:.1f}" y="{y + 4:.1f}" class="small" text-anchor="end">{share:g}</text>')
    for ratio in (0.5, 1):
        x, low = at(ratio, 0)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{TOP}" stroke="#9aa0a8" stroke-dasharray="4 4"/>')
    for row, (name, judged) in enumerate(groups.items()):
        parts += curve(bins(judged), COLORS[name]) + legend(row, name, COLORS[name])
    parts.append(f'<text x="{LEFT + WIDTH / 2}" y="{height - 8}" class="small" text-anchor="middle">'
                 'largest true error / tolerance</text>')
    parts.append(f'<text x="{LEFT + 6}" y="{TOP + HEIGHT - 8}" class="small">share of fits certified met</text>')
    return "\n".join(parts + ["</svg>", ""])


def curve(points, color):
    places = [at(ratio, share) for ratio, share, _ in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.5 + 0.5 * math.sqrt(count):.1f}" fill="{color}" fill-opacity="0.6">'
            f'<title>{count} fits</title></circle>' for (x, y), (_, _, count) in zip(places, points)]
    return [f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.8" stroke-linejoin="round"/>', *dots]


def legend(row, name, color):
    left, y = LEFT + WIDTH + 14, 26 + 19 * row
    return [f'<line x1="{left}" x2="{left + 22}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" stroke-width="2"/>',
            f'<text x="{left + 28}" y="{y}" class="small">{name}</text>']
