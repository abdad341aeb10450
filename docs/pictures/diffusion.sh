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
cp "$folder/moons/samples.png" docs/pictures/diffusion.png
