#!/usr/bin/env python3
"""make_moons.py FOLDER: moons.csv, 2,000 points of two half-circles with a little noise, and the half-circle of each."""
import math
import random
import sys

random.seed(1)
with open(sys.argv[1] + "/moons.csv", "w") as file:
    file.write("x,y,moon\n")
    for i in range(2000):
        a = math.pi * random.random()
        x, y = (math.cos(a), math.sin(a)) if i % 2 else (1 - math.cos(a), 0.5 - math.sin(a))
        file.write(f"{x + random.gauss(0, 0.08):.5f},{y + random.gauss(0, 0.08):.5f},{'upper' if i % 2 else 'lower'}\n")
