#!/usr/bin/env python3
"""make_images.py FOLDER: small images of bars for the tests of autoencoders, as IDX files (plain and gzipped) and CSV.

An image of 8 x 8 bytes has a horizontal bar (label 0) or a vertical one (label 1) somewhere, with some noise.
"""
import gzip
import pathlib
import random
import struct
import sys

SIDE, IMAGES = 8, 300


def image(generator):
    label, place = generator.randrange(2), generator.randrange(SIDE - 1)
    levels = []
    for y in range(SIDE):
        for x in range(SIDE):
            is_lit = place <= (x if label else y) <= place + 1
            levels.append(min(255, max(0, int(generator.gauss(220 if is_lit else 20, 15)))))
    return label, levels


def main():
    folder = pathlib.Path(sys.argv[1])
    generator = random.Random(1)
    images = [image(generator) for _ in range(IMAGES)]
    pixels = struct.pack(">4B3I", 0, 0, 8, 3, IMAGES, SIDE, SIDE) + b"".join(bytes(levels) for _, levels in images)
    labels = struct.pack(">4BI", 0, 0, 8, 1, IMAGES) + bytes(label for label, _ in images)
    (folder / "bars-images-idx3-ubyte").write_bytes(pixels)
    (folder / "bars-labels-idx1-ubyte").write_bytes(labels)
    (folder / "bars-images-idx3-ubyte.gz").write_bytes(gzip.compress(pixels, mtime=0))
    with open(folder / "bars.csv", "w") as table:
        print(*(f"p{i}" for i in range(SIDE * SIDE)), "kind", sep=",", file=table)
        for label, levels in images:
            print(*levels, "across" if label == 0 else "down", sep=",", file=table)
    with open(folder / "plane.csv", "w") as table:  # three columns that lie near a plane
        print("a,b,c", file=table)
        for _ in range(IMAGES):
            u, v = generator.gauss(0, 1), generator.gauss(0, 1)
            print(10 + 3 * u + generator.gauss(0, 0.1), 2 * v + generator.gauss(0, 0.1), u - v + generator.gauss(0, 0.1),
                  sep=",", file=table)


main()
