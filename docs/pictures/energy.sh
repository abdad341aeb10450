#!/usr/bin/env bash
# docs/pictures/energy.png: the density that docs/energy.md learns, with samples on it.
set -euo pipefail
cd "$(dirname "$0")/../.."
kullback=${KULLBACK:-build/kullback}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 tests/energy/make_rows.py "$folder"
"$kullback" ebm "$folder/ring.csv" --hidden 32,32 --epochs 60 --rate 0.005 --seed 1 --threads 1 --quiet --out "$folder/ring"
python3 - "$folder/ring/density.png" docs/pictures/energy.png <<'PY'
import struct, sys, zlib

data, at, content = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):  # the same picture, compressed
    size, = struct.unpack(">I", data[at:at + 4])
    if data[at + 4:at + 8] == b"IHDR":
        header = data[at + 8:at + 8 + size]
    if data[at + 4:at + 8] == b"IDAT":
        content += data[at + 8:at + 8 + size]
    at += size + 12


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


open(sys.argv[2], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                              chunk(b"IDAT", zlib.compress(zlib.decompress(content), 9)) + chunk(b"IEND", b""))
PY
