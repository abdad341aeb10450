#!/usr/bin/env python3
"""Small tables for the tests of networks: line.csv (numbers), mixed.csv (categories and gaps), flowers.csv (three
classes), coin.csv (a target of 0 and 1), far.csv (rows of another origin)."""
import math
import random
import sys


def write(name, head, rows):
    with open(f"{sys.argv[1]}/{name}", "w", encoding="utf-8") as file:
        file.write(head + "\n")
        file.writelines(",".join(f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row) + "\n"
                        for row in rows)


draw = random.Random(1)
points = [(draw.uniform(-2, 2), draw.uniform(-2, 2), draw.randint(0, 9)) for _ in range(300)]
write("line.csv", "a,b,count,y",
      [(a, b, c, 10 + 3 * math.sin(2 * a) + b + 0.2 * c + draw.gauss(0, 0.3)) for a, b, c in points])
write("far.csv", "a,b,count", [(draw.uniform(6, 9), draw.uniform(6, 9), 30) for _ in range(60)])
rows = []
for a, b, c in points:
    colour = draw.choice(["red", "green", "blue"])
    y = a + {"red": 0, "green": 2, "blue": -2}[colour] + draw.gauss(0, 0.2)
    rows.append(("" if draw.random() < 0.1 else a, "NA" if draw.random() < 0.1 else colour, 7, y))
rows[0] = (0.5, "red", 7, "")
write("mixed.csv", "a,colour,same,y", rows)
centres = {"lily": (0, 0), "rose": (2, 2), "iris, blue": (-2, 2)}
rows = []
for _ in range(300):
    name = draw.choice(list(centres))
    x, y = centres[name]
    rows.append((draw.gauss(x, 0.7), draw.gauss(y, 0.7), f'"{name}"'))
write("flowers.csv", "u,v,flower", rows)
write("coin.csv", "a,b,side", [(a, b, int(a + b + draw.gauss(0, 1) > 0)) for a, b, _ in points])
