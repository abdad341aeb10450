#!/usr/bin/env bash
# docs/pictures/restore.png: the draws of docs/restore.md, on the data that the model was trained on.
set -euo pipefail
cd "$(dirname "$0")/../.."
kullback=${KULLBACK:-build/kullback}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 tests/diffusion/make_moons.py "$folder"
"$kullback" diffusion "$folder/moons.csv" --ignore moon --sde edm --hidden 64,64,64 --batch 64 --epochs 400 --rate 0.01 --seed 1 --threads 1 --quiet --out "$folder/moons"
printf 'y\n-0.3\n0.25\n0.8\n' >"$folder/heights.csv"
"$kullback" restore "$folder/moons" "$folder/heights.csv" --operator inpaint --noise-sd 0.05 --count 200 --seed 1 --threads 1 --quiet --out "$folder/restored"
python3 - "$folder/moons.csv" "$folder/restored/samples.csv" docs/pictures/restore.png <<'PY'
import csv, struct, sys, zlib

WIDTH, HEIGHT, SCALE = 720, 440, 180
COLOURS = {"1": (0, 114, 178), "2": (213, 94, 0), "3": (0, 158, 115)}
pixels = [[(255, 255, 255)] * WIDTH for _ in range(HEIGHT)]


def put(x, y, colour, radius):
    left, top = round((x + 1.5) * SCALE), round((1.45 - y) * SCALE)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            if dx * dx + dy * dy <= radius * radius + 1 and 0 <= top + dy < HEIGHT and 0 <= left + dx < WIDTH:
                pixels[top + dy][left + dx] = colour


for row in csv.DictReader(open(sys.argv[1])):
    put(float(row["x"]), float(row["y"]), (222, 222, 222), 2)
for row in csv.DictReader(open(sys.argv[2])):
    put(float(row["x"]), float(row["y"]), COLOURS[row["row"]], 2)


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


rows = b"".join(b"\0" + bytes(level for pixel in line for level in pixel) for line in pixels)
open(sys.argv[3], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
                              chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))
PY
