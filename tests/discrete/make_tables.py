"""Writes garden.csv (categories: season, weather, activity) and nests.csv (counts: trees, nests, eggs), with the laws
below; and new rows of the same, new_garden.csv and new_nests.csv. Usage: make_tables.py FOLDER [ROWS]"""
import math
import pathlib
import random
import sys

WEATHER = {"spring": (0.4, 0.5, 0.1), "summer": (0.8, 0.15, 0.05), "autumn": (0.3, 0.6, 0.1), "winter": (0.3, 0.2, 0.5)}
KINDS = ("sun", "rain", "snow")
ACTIVITY = {"sun": (0.6, 0.3, 0.1), "rain": (0.05, 0.25, 0.7), "snow": (0.0, 0.1, 0.9)}
DOING = ("dig", "walk", "read, inside")


def garden():
    """Probability of each row."""
    return {(season, kind, doing): 0.25 * p * q
            for season, chances in WEATHER.items() for kind, p in zip(KINDS, chances)
            for doing, q in zip(DOING, ACTIVITY[kind]) if q > 0}


def nests():
    """trees: 1 to 4, equally likely; nests: Binomial(trees, 0.6); eggs: Binomial(2 nests, 0.7)."""
    def binomial(n, p):
        return {k: math.comb(n, k) * p ** k * (1 - p) ** (n - k) for k in range(n + 1)}
    return {(trees, nest, egg): 0.25 * p * q for trees in range(1, 5) for nest, p in binomial(trees, 0.6).items()
            for egg, q in binomial(2 * nest, 0.7).items()}


def entropy(law):
    return -sum(p * math.log(p) for p in law.values())


def write(path, names, law, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(names) + "\n")
        for row in random.choices(list(law), weights=list(law.values()), k=rows):
            file.write(",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in row) + "\n")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    random.seed(1)
    for name, columns, law in (("garden", ("season", "weather", "activity"), garden()),
                               ("nests", ("trees", "nests", "eggs"), nests())):
        write(folder / f"{name}.csv", columns, law, count)
        write(folder / f"new_{name}.csv", columns, law, 500)
