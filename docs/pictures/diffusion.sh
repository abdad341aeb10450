#!/usr/bin/env bash
# docs/pictures/diffusion.png: samples of the example of docs/diffusion.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
kullback=${KULLBACK:-build/kullback}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 tests/diffusion/make_moons.py "$folder"
"$kullback" diffusion "$folder/moons.csv" --labels moon --conditional --hidden 64,64,64 --epochs 400 --rate 0.003 --seed 1 --threads 1 --quiet \
  --out "$folder/moons"
# The same picture, compressed.
python3 - "$folder/moons/samples.png" docs/pictures/diffusion.png <<'PY'
import struct, sys, zlib


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


data, at, rows = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    name, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
    if name == b"IHDR":
        head = body
    if name == b"IDAT":
        rows += body
    at += size + 12
open(sys.argv[2], "wb").write(data[:8] + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(zlib.decompress(rows), 9)) + chunk(b"IEND", b""))
PY
