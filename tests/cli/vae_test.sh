#!/usr/bin/env bash
# vae, encode, decode, sample, by way of kullback.
root=$PWD
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1
python3 "$root/tests/deep/make_images.py" .
images=bars-images-idx3-ubyte labels=bars-labels-idx1-ubyte
same="--hidden 32 --batch 32 --rate 0.005 --seed 1 --threads 1"
quick="$same --epochs 40 --latent 3"
brief="$same --epochs 3 --latent 3"
# Width, height and channels of a PNG file whose checksums are right.
cat >png.py <<'PY'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, content = 8, b""
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(data[at + 4:at + 8 + size])
    if data[at + 4:at + 8] == b"IHDR": width, height, _, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
    if data[at + 4:at + 8] == b"IDAT": content += data[at + 8:at + 8 + size]
    at += size + 12
channels = 3 if colour == 2 else 1
assert len(zlib.decompress(content)) == height * (width * channels + 1)
print(width, height, channels)
PY
# Both training curves agree to a relative LIMIT.
cat >curves.py <<'PY'
import csv, sys
a, b = ([[float(row[k]) for k in ("loss", "held_out")] for row in csv.DictReader(open(f"{folder}/training.csv"))]
        for folder in sys.argv[1:3])
assert len(a) == len(b) > 0, f"{len(a)} and {len(b)} epochs"
worst = max(abs(x - y) / max(1, abs(x)) for rows in zip(a, b) for x, y in zip(*rows))
sys.exit(f"the curves differ by {worst:.2e}" if worst > float(sys.argv[3]) else None)
PY

expect 'an autoencoder of images' 0 'held-out bound' -- "$kullback" vae $images --labels $labels $quick --out bars
expect 'rows that are streamed, to the same bits' 0 '^$' -- bash -c "'$kullback' vae $images --labels $labels $quick --device-memory 0 --quiet --out streamed && cmp bars/weights.safetensors streamed/weights.safetensors"
expect 'products in bfloat16' 0 'held-out bound' -- "$kullback" vae $images $brief --precision bf16 --out in-bfloat16
expect 'close to those in float32' 0 '^$' -- bash -c "'$kullback' vae $images $brief --quiet --out in-float32 && python3 curves.py in-float32 in-bfloat16 0.02"
expect 'what was trained so encodes' 0 'Means and standard deviations' -- "$kullback" encode in-bfloat16 $images
expect 'the record' 0 '"kind": "vae"' -- cat bars/run.json
expect 'active units are said' 0 'active units +[1-3] of 3' -- "$kullback" summary bars
expect 'what the model is' 0 '"decoder": \{"name": "bernoulli"' -- cat bars/model.json
expect 'a line for each epoch' 0 '^41 ' -- wc -l bars/training.csv
expect 'weights by layer' 0 '^32 64$' -- python3 -c '
import json, struct
data = open("bars/weights.safetensors", "rb").read()
size, = struct.unpack("<Q", data[:8])
print(*json.loads(data[8:8 + size])["encoder.1.weight"]["shape"])'
expect 'reconstructions as a picture' 0 '^102 22 1$' -- python3 png.py bars/reconstructions.png
expect 'samples as a picture' 0 '^82 82 1$' -- python3 png.py bars/samples.png
expect 'a map in colours' 0 '^640 640 3$' -- python3 png.py bars/latents.png
expect 'the bound is that of the model' 0 -- python3 -c "
import json; s = json.load(open('bars/summary.json')); assert -35 < s['held_out_bound'] < -15, s"
expect 'no checkpoint is left' 1 -- test -e bars/checkpoint.safetensors

expect 'gzipped images, the same bits' 0 '^$' -- bash -c "'$kullback' vae $images.gz --labels $labels $quick --quiet --out zipped && cmp bars/weights.safetensors zipped/weights.safetensors"
expect 'latent variables' 0 '3 latent variables of 300 rows' -- "$kullback" encode bars $images
expect 'their columns' 0 '^mean_1,mean_2,mean_3,sd_1,sd_2,sd_3$' -- head -1 bars/latents.csv
expect 'not overwritten' 73 'exists already' -- "$kullback" encode bars $images
expect 'as .npy' 0 'bars.npy' -- "$kullback" encode bars $images --out bars.npy
expect 'from latent variables to pixels' 0 'Means of 300 rows' -- "$kullback" decode bars bars/latents.csv --out pixels.csv
expect 'reconstructions are near' 0 -- python3 -c "
import csv
rows = list(csv.reader(open('pixels.csv')))[1:]
data = open('$images', 'rb').read()[16:]
error = sum(abs(float(cell) - data[64 * i + j]) for i, row in enumerate(rows) for j, cell in enumerate(row)) / len(data)
assert error < 40, error"
expect 'as a picture' 0 -- bash -c "head -9 bars/latents.csv >few.csv; '$kullback' decode bars few.csv --out few.png && python3 png.py few.png"
expect 'new images' 0 '16 samples' -- "$kullback" sample bars --count 16 --out new.png
expect 'their size' 0 '^82 22 1$' -- python3 png.py new.png
cat >pixels.py <<'PY'
# Of a grey PNG with 8 images of 8 x 8 across, gaps of 2 between: the largest distance from the numbers of an .npy file, in levels.
import array, struct, sys, zlib
png, content, at = open(sys.argv[1], "rb").read(), b"", 8
while at < len(png):
    size, = struct.unpack(">I", png[at:at + 4])
    if png[at + 4:at + 8] == b"IHDR": width, height = struct.unpack(">II", png[at + 8:at + 16])
    if png[at + 4:at + 8] == b"IDAT": content += png[at + 8:at + 8 + size]
    at += size + 12
rows, lines = zlib.decompress(content), []
for y in range(height):
    kind, *line = rows[y * (width + 1):(y + 1) * (width + 1)]
    for x in range(width):
        other = 0 if kind == 0 else (line[x - 1] if x else 0) if kind == 1 else (lines[-1][x] if y else 0)
        line[x] = (line[x] + other) % 256
    lines.append(line)
data = open(sys.argv[2], "rb").read()
numbers = array.array("d", data[10 + struct.unpack("<H", data[8:10])[0]:])
shown = [lines[2 + i // 8 * 10 + y][2 + i % 8 * 10 + x] for i in range(len(numbers) // 64) for y in range(8) for x in range(8)]
worst = max(abs(a - b) for a, b in zip(shown, numbers, strict=True))
print("apart by half a level at most" if worst < 0.5001 else f"apart by {worst}")
PY
expect 'a picture shows the numbers' 0 '^apart by half' -- bash -c "'$kullback' sample bars --count 16 --out new.npy >/dev/null && python3 pixels.py new.png new.npy"
expect 'the same again' 0 '^$' -- bash -c "'$kullback' sample bars --count 16 --out new2.png >/dev/null && cmp new.png new2.png"
expect 'others by another seed' 1 'differ' -- bash -c "'$kullback' sample bars --count 16 --seed 2 --out new3.png >/dev/null && cmp new.png new3.png"

expect 'a table' 0 'gaussian decoder' -- "$kullback" vae plane.csv $same --epochs 40 --latent 2 --out plane
expect 'rows in their own units' 0 -- bash -c "'$kullback' encode plane plane.csv && '$kullback' decode plane plane/latents.csv" 
expect 'they are near' 0 -- python3 -c "
import csv
a, b = ([list(map(float, row)) for row in list(csv.reader(open(name)))[1:]] for name in ('plane.csv', 'plane/decoded.csv'))
error = sum(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)) / (3 * len(a))
assert error < 0.6, error"
expect 'new rows have their names' 0 '^a,b,c$' -- bash -c "'$kullback' sample plane >/dev/null && head -1 plane/new_samples.csv"
expect 'no picture of what is no image' 64 'no images' -- "$kullback" sample plane --out plane.png
expect 'a table of images' 0 'images 8 x 8' -- "$kullback" vae bars.csv --labels kind --image 8x8 $quick --architecture conv --filters 4,8 --out table
expect 'encoded again' 0 '300 rows' -- "$kullback" encode table bars.csv
expect 'given the label' 0 'given the label' -- "$kullback" vae bars.csv --labels kind --conditional --image 8x8 $quick --out conditional
expect 'samples of one label' 0 -- "$kullback" sample conditional --label down --out down.png
expect 'no such label' 64 'Known are: across, down' -- "$kullback" sample conditional --label up --out up.png
expect 'a label is needed' 64 'needs a label' -- "$kullback" decode conditional few.csv --out x.csv

for objective in beta annealed iwae miwae ciwae piwae renyi tvo infovae denoising consistency; do
  expect "objective $objective" 0 "objective +$objective" -- "$kullback" vae $images $brief --objective $objective --out $objective
done
for decoder in gaussian categorical discretised-logistic; do
  expect "decoder $decoder" 0 "$decoder decoder" -- "$kullback" vae $images $brief --decoder $decoder --out $decoder
done
expect 'a mixture of logistics' 0 -- "$kullback" vae $images $brief --decoder discretised-logistic --components 3 --out mixture
expect 'VampPrior' 0 'vamp prior' -- "$kullback" vae $images $brief --prior vamp --pseudo-inputs 20 --out vamp
expect 'samples of it' 0 -- "$kullback" sample vamp
expect 'floors' 0 -- "$kullback" vae $images $brief --floor batch-norm --out floor
expect 'residual networks' 0 'residual' -- "$kullback" vae $images $brief --architecture residual --filters 4 --out residual
expect 'binarised once' 0 '"binarise": "fixed"' -- bash -c "'$kullback' vae $images $brief --binarise fixed --quiet --out fixed && cat fixed/model.json"
expect 'collapse is said' 0 'No latent variable is used' -- "$kullback" vae plane.csv $same --epochs 60 --latent 3 --objective beta --beta 500 --patience 0 --out collapsed

long="--epochs 100 --hidden 32 --latent 3 --batch 32 --seed 2 --threads 1 --save-every 0 --objective iwae --samples 5"
"$kullback" vae $images $long --quiet --out whole
expect 'interrupted' 130 -- bash -c "'$kullback' vae $images $long --quiet --out part & pid=\$!
  for i in {1..1000}; do [ -e part/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid"
expect 'a checkpoint is there' 0 -- test -e part/checkpoint.safetensors
expect 'resumed to the same bits' 0 -- "$kullback" vae $images $long --resume --out part
expect 'the same weights' 0 '^$' -- cmp whole/weights.safetensors part/weights.safetensors
expect 'nothing is left to do' 0 'nothing is left to do' -- "$kullback" vae $images --resume --out whole
expect 'resume with other options' 64 'was begun with --samples 5' -- "$kullback" vae $images --resume --samples 6 --out whole

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
ranked="vae $images --epochs 6 --hidden 32 --latent 3 --batch 32 --seed 2 --threads 1 --objective iwae --samples 4 --precision float64 --quiet"
"$kullback" $ranked --out ranks1
for ranks in 2 4; do
  expect "the same curve on $ranks ranks" 0 '^$' -- bash -c "mpirun --oversubscribe -n $ranks '$kullback' $ranked --out ranks$ranks && python3 curves.py ranks1 ranks$ranks 1e-9"
done
expect 'what needs the whole minibatch' 64 'looks at all rows of a minibatch' -- mpirun --oversubscribe -n 2 "$kullback" vae $images --objective infovae --out x

expect 'no such objective' 64 "no --objective 'elbow'" -- "$kullback" vae $images --objective elbow
expect 'an option of another objective' 64 'alpha is not an option of --objective vae' -- "$kullback" vae $images --alpha 1
expect 'no such file' 66 'nowhere' -- "$kullback" vae nowhere.idx
expect 'a cut file' 65 'bytes follow its header' -- bash -c "head -c 5000 $images >cut; '$kullback' vae cut"
expect 'labels as images' 65 'holds labels, not images' -- "$kullback" vae $labels
expect 'text in a table' 65 'kind' -- "$kullback" vae bars.csv
expect 'convolutions of rows' 64 'needs images' -- "$kullback" vae plane.csv --architecture conv
expect 'sizes that cannot be halved' 64 'cannot be halved' -- "$kullback" vae $images --architecture conv --filters 4,4,4,4
expect 'images of another size' 65 'rows of 3 numbers; the model was trained on 64' -- "$kullback" encode bars plane.csv --out x.csv
expect 'weights of another model' 65 'is of another model' -- bash -c "cp -r bars other; forget_files other; cp gaussian/weights.safetensors other/; cp plane/weights.safetensors other/; '$kullback' sample other --out y.png"
expect 'no GPU' 64 'no CUDA device' -- "$kullback" vae $images --device cuda
expect 'labels without a column' 64 'needs labels' -- "$kullback" vae $images --conditional
expect 'no model' 66 'holds no autoencoder' -- "$kullback" encode . $images
finish
