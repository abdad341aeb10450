#!/usr/bin/env bash
# docs/pictures/autoencoder.png: reconstructions and latent map of the example of docs/autoencoders.md, beside each other.
set -euo pipefail
cd "$(dirname "$0")/../.."
kullback=${KULLBACK:-build/kullback}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 tests/deep/make_images.py "$folder"
"$kullback" vae "$folder/bars-images-idx3-ubyte" --labels "$folder/bars-labels-idx1-ubyte" --latent 2 --hidden 64 --epochs 150 \
  --rate 0.003 --batch 32 --seed 1 --threads 1 --quiet --out "$folder/bars"
python3 - "$folder/bars" docs/pictures/autoencoder.png <<'PY'
import struct, sys, zlib


def read(path):
    data, at, content = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if data[at + 4:at + 8] == b"IDAT":
            content += data[at + 8:at + 8 + size]
        at += size + 12
    channels, rows = (3 if colour == 2 else 1), zlib.decompress(content)
    line = width * channels + 1
    pixel = lambda x, y: rows[y * line + 1 + x * channels:][:channels] * (3 // channels)
    return width, height, pixel


left, right = read(sys.argv[1] + "/reconstructions.png"), read(sys.argv[1] + "/latents.png")
ZOOM, SHRINK, GAP = 5, 2, 20
width, height = left[0] * ZOOM + GAP + right[0] // SHRINK, max(left[1] * ZOOM, right[1] // SHRINK)
top = (height - left[1] * ZOOM) // 2
lines = []
for y in range(height):
    line = bytearray(b"\0")
    for x in range(width):
        inside = x < left[0] * ZOOM and 0 <= y - top < left[1] * ZOOM
        beyond = x - left[0] * ZOOM - GAP
        if inside:
            line += left[2](x // ZOOM, (y - top) // ZOOM)
        elif beyond >= 0:
            near = [right[2](SHRINK * beyond + i, SHRINK * y + j) for i in range(SHRINK) for j in range(SHRINK)]
            line += bytes(sum(level) // len(near) for level in zip(*near))
        else:
            line += b"\xff\xff\xff"
    lines.append(bytes(line))


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


open(sys.argv[2], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                              chunk(b"IDAT", zlib.compress(b"".join(lines), 9)) + chunk(b"IEND", b""))
PY
