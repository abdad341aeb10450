#!/usr/bin/env python3
"""make_rows.py FOLDER: rows for the tests of energies.

ring.csv, ring_new.csv: two columns, four groups on an ellipse that touch. The log likelihood of the truth is -3.60 nats a row.
bits.csv, bits_new.csv: nine columns of 0 and 1, images of 3 x 3 with rows or columns that are lit as a whole.
"""
import math
import pathlib
import random
import sys


def ring(generator):
    angle = generator.randrange(4) * math.pi / 2
    return [3 * math.cos(angle) + generator.gauss(0, 0.9), 10 + 2 * math.sin(angle) + generator.gauss(0, 0.6)]


def bits(generator):
    lines = [generator.randrange(2) for _ in range(3)]
    is_across = generator.randrange(2)
    return [lines[y if is_across else x] for y in range(3) for x in range(3)]


def main():
    folder, generator = pathlib.Path(sys.argv[1]), random.Random(1)
    for name, row, columns in (("ring", ring, "ab"), ("bits", bits, "abcdefghi")):
        for suffix, rows in (("", 2000), ("_new", 500)):
            with open(folder / f"{name}{suffix}.csv", "w") as table:
                print(*columns, sep=",", file=table)
                for _ in range(rows):
                    print(*row(generator), sep=",", file=table)


main()
