#!/usr/bin/env bash
# restore of folders of diffusion and score, by way of kullback.
root=$PWD
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1
python3 "$root/tests/diffusion/make_moons.py" .
python3 "$root/tests/deep/make_images.py" .
images=bars-images-idx3-ubyte labels=bars-labels-idx1-ubyte
one="--threads 1"
# Two columns with mean 5 and sd 3, correlation 0.8.
python3 - <<'PY'
import random
random.seed(1)
with open("pair.csv", "w") as file:
    file.write("a,b\n")
    for i in range(2000):
        u, v = random.gauss(0, 1), random.gauss(0, 1)
        file.write(f"{5 + 3 * u},{5 + 3 * (0.8 * u + 0.6 * v)}\n")
PY
printf 'y\n0.25\n1.0\n' >heights.csv
printf 'a,b\n8,\n' >eight.csv
printf 'y1\n13\n' >sum.csv
printf '1,1\n' >sum_matrix.csv

"$kullback" diffusion moons.csv --ignore moon --sde edm --hidden 64,64 --batch 64 --epochs 150 --rate 0.01 --seed 1 $one --quiet --out moons
"$kullback" diffusion pair.csv --hidden 32,32 --batch 64 --epochs 60 --rate 0.01 --seed 1 $one --quiet --out pair
"$kullback" diffusion moons.csv --labels moon --conditional --hidden 16 --epochs 2 --seed 1 $one --quiet --out by-moon
"$kullback" diffusion pair.csv --sde cld --hidden 16 --epochs 1 --seed 1 $one --quiet --out cld
"$kullback" score pair.csv --hidden 16 --epochs 2 --seed 1 $one --quiet --out ladder
"$kullback" diffusion $images --filters 8,16 --epochs 1 --batch 64 --seed 1 $one --quiet --out bars

# At the height 0.25 each half-circle is met twice: x is about -0.97, 0.03, 0.97 and 1.97. At 1 there is one x.
cat >branches.py <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/samples.csv")))
x = [float(r["x"]) for r in rows if r["row"] == "1"]
shares = [sum(abs(v - place) < 0.35 for v in x) / len(x) for place in (-0.97, 0.03, 0.97, 1.97)]
assert sum(share > 0.08 for share in shares) >= int(sys.argv[2]) and sum(shares) > 0.75, shares
top = [float(r["x"]) for r in rows if r["row"] == "2"]
assert len(top) == len(x) and sum(abs(v) < 0.8 for v in top) > 0.85 * len(top), sorted(top)
assert all(abs(float(r["y"]) - (0.25 if r["row"] == "1" else 1)) < 0.3 for r in rows)
print("all branches")
PY
for method in tsmc langevin; do
  expect "moons by $method" 0 '2 rows restored by' -- "$kullback" restore moons heights.csv --operator inpaint --noise-sd 0.05 --method $method --count 200 $one --out moons-$method
done
expect 'every branch is found' 0 'all branches' -- python3 branches.py moons-tsmc 4
expect 'more than one, by langevin' 0 'all branches' -- python3 branches.py moons-langevin 2
expect 'points of high density' 0 'not that of the posterior' -- "$kullback" restore moons heights.csv --operator inpaint --noise-sd 0.05 --method red-diff --steps 100 --count 20 $one --out moons-red
expect 'its files' 0 -- test -s moons-tsmc/mean.csv -a -s moons-tsmc/sd.csv -a -s moons-tsmc/samples.png -a -s moons-tsmc/restore.json
expect 'evidence and particles' 0 '"log_evidence": -?[0-9.]+, "log_evidence_error": [0-9.]+, "ess": [0-9.]+' -- cat moons-tsmc/restore.json
expect 'the account is JSON' 0 -- python3 -c "import json; assert json.load(open('moons-tsmc/restore.json'))['rows'][0]['seen'] == 1"
expect 'the same again' 0 '^$' -- bash -c "'$kullback' restore moons heights.csv --operator inpaint --noise-sd 0.05 --count 200 --quiet $one --out again && cmp again/samples.csv moons-tsmc/samples.csv"

# b given a = 8 with noise 0.5: mean 5 + 0.8 * 9 / 9.25 * 3 = 7.34, sd 1.86. Both given a + b = 13: means 6.5.
cat >moments.py <<'PY'
import csv, sys
mean, sd = (next(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv"))) for name in ("mean", "sd"))
for name, wanted in zip("ab", sys.argv[2:]):
    assert abs(float(mean[name]) - float(wanted)) < 0.6, mean
assert 1.4 < float(sd["b"]) < 2.3 if sys.argv[2] != "6.5" else float(sd["b"]) < 1.4, sd
print("as it should be")
PY
for method in tsmc langevin; do
  expect "units by $method" 0 -- "$kullback" restore pair eight.csv --operator inpaint --noise-sd 0.5 --method $method --count 100 $one --out units-$method
  expect "mean and sd by $method" 0 'as it should be' -- python3 moments.py units-$method 7.92 7.34
done
expect 'a matrix' 0 -- "$kullback" restore pair sum.csv --operator linear --matrix sum_matrix.csv --noise-sd 0.2 --count 100 $one --out sums
expect 'means of the sum' 0 'as it should be' -- python3 moments.py sums 6.5 6.5
expect 'a ladder' 0 'restored by langevin' -- "$kullback" restore ladder eight.csv --operator inpaint --noise-sd 0.5 --method langevin --chains 4 --adjusted-steps 10 $one
expect 'saturation' 0 'restored by langevin' -- "$kullback" restore pair eight.csv --operator clip --low 0 --high 8 --noise-sd 0.5 --method langevin --chains 4 --steps 5 --adjusted-steps 10 $one --out clipped

python3 - <<'PY'
import struct
data = open("bars-images-idx3-ubyte", "rb").read()
_, count, height, width = struct.unpack(">IIII", data[:16])
pixels = data[16:16 + 2 * height * width]
def write(name, rows, shape):
    head = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(rows)}d", *rows))
write("two.npy", list(map(float, pixels)), (2, height, width))
half = [sum(pixels[i * height * width + (2 * y + a) * width + 2 * x + b] for a in (0, 1) for b in (0, 1)) / 4
        for i in range(2) for y in range(height // 2) for x in range(width // 2)]
write("half.npy", half, (2, height // 2, width // 2))
PY
few="--particles 2 --runs 2 --steps 3 --count 2 $one"
expect 'a box of images' 0 '2 rows restored' -- "$kullback" restore bars two.npy --operator inpaint --box 0,0,4,4 --noise-sd 20 $few --out box
cat >grey.py <<'PY'
import sys, zlib
png, data, at = open(sys.argv[1], "rb").read(), b"", 8
while at < len(png):
    size = int.from_bytes(png[at:at + 4], "big")
    data += png[at + 8:at + 8 + size] if png[at + 4:at + 8] == b"IDAT" else b""
    at += size + 12
pixels = zlib.decompress(data)
print("grey" if max(pixels.count(127), pixels.count(128)) >= int(sys.argv[2]) else "not grey")
PY
expect 'what is not seen is grey' 0 '^grey' -- python3 grey.py box/observed.png 8
expect 'pictures' 0 -- test -s box/observed.png -a -s box/mean.png -a -s box/sd.png -a -s box/samples.png -a -s box/samples.npy
expect 'blur' 0 '2 rows' -- "$kullback" restore bars two.npy --operator blur --blur-sd 1 --noise-sd 20 $few --out blur
expect 'super-resolution' 0 '2 rows' -- "$kullback" restore bars half.npy --operator downsample --factor 2 --noise-sd 20 $few --out larger
expect 'phase retrieval' 0 '2 rows' -- "$kullback" restore bars two.npy --operator phase --noise-sd 20 $few --out phase

inpaint="--operator inpaint --noise-sd 0.1"
expect 'help' 0 '--twist-sd' -- "$kullback" restore moons --help
expect 'no operator' 64 'needs --operator' -- "$kullback" restore moons heights.csv --noise-sd 1 --out x
expect 'no noise' 64 'needs --noise-sd' -- "$kullback" restore moons heights.csv --operator inpaint --out x
expect 'noise of 0' 64 'noise-sd' -- "$kullback" restore moons heights.csv --operator inpaint --noise-sd 0 --out x
expect 'no such operator' 64 "no --operator 'warp'" -- "$kullback" restore moons heights.csv --operator warp --noise-sd 1 --out x
expect 'no such method' 64 "no --method 'gibbs'" -- "$kullback" restore moons heights.csv $inpaint --method gibbs --out x
expect 'an option of another method' 64 'chains is not an option of --method tsmc' -- "$kullback" restore moons heights.csv $inpaint --chains 3 --out x
expect 'an option of another operator' 64 'factor is not an option of --operator inpaint' -- "$kullback" restore moons heights.csv $inpaint --factor 3 --out x
expect 'a mask of the wrong size' 65 'the mask has 3 numbers; the model is of rows of 2 numbers' -- bash -c "echo 1,0,1 >mask.csv; '$kullback' restore moons heights.csv $inpaint --mask mask.csv --out x"
expect 'a matrix of the wrong shape' 65 'the matrix has 3 columns' -- bash -c "'$kullback' restore moons heights.csv --operator linear --matrix mask.csv --noise-sd 1 --out x"
expect 'a factor that does not divide' 64 'factor 3 does not divide' -- "$kullback" restore pair eight.csv --operator downsample --factor 3 --noise-sd 1 --out x
expect 'observed rows of the wrong size' 65 'sum.csv: has rows of 1 numbers; the operator gives rows of 2 numbers' -- "$kullback" restore pair sum.csv $inpaint --out x
expect 'nothing is seen' 65 'nothing of an observed row is seen' -- bash -c "printf 'a,b\n,\n' >none.csv; '$kullback' restore pair none.csv $inpaint --out x"
expect 'a label is missing' 64 'needs the --label' -- "$kullback" restore by-moon heights.csv $inpaint --out x
expect 'no such label' 64 'knows no label' -- "$kullback" restore by-moon heights.csv $inpaint --label left --out x
expect 'with a label' 0 '2 rows' -- "$kullback" restore by-moon heights.csv $inpaint --label upper --guidance 1 $few --out upper
expect 'without one' 0 '2 rows' -- "$kullback" restore by-moon heights.csv $inpaint --label none $few --out free
expect 'a label of a model without' 64 'is for conditional models' -- "$kullback" restore moons heights.csv $inpaint --label upper --out x
expect 'a velocity' 64 'without a velocity' -- "$kullback" restore cld eight.csv $inpaint --out x
expect 'not overwritten' 73 'exists already' -- "$kullback" restore moons heights.csv $inpaint --out moons-tsmc
expect 'nor with foreign files in it' 73 'foreign: holds notes.txt' -- bash -c "cp -r moons-tsmc foreign; echo mine >foreign/notes.txt
  '$kullback' restore moons heights.csv $inpaint --out foreign --force"
expect 'no such file' 66 'nothing.csv' -- "$kullback" restore moons nothing.csv $inpaint --out x
expect 'no folder' 66 'holds no trained model' -- "$kullback" restore heights.csv heights.csv $inpaint --out x
expect 'a folder of another kind' 65 'holds an energy' -- bash -c "'$kullback' ebm pair.csv --hidden 8 --epochs 1 --seed 1 --threads 1 --quiet --out energy; '$kullback' restore energy eight.csv $inpaint --out x"
expect 'interrupted' 130 'interrupted after 0 of 2 rows; nothing was written' -- bash -c "interrupted '$kullback' restore moons heights.csv $inpaint --particles 50000 --steps 500 $one --out late"
finish
