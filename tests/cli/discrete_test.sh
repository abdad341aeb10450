#!/usr/bin/env bash
# diffusion --states, and sample and loglik of its folders, by way of kullback.
root=$PWD
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1 PYTHONPATH="$root/tests/discrete"
python3 "$root/tests/discrete/make_tables.py" . 2000
python3 "$root/tests/deep/make_images.py" .
images=bars-images-idx3-ubyte
cat >like.py <<'PY'
# like.py TABLE SAMPLES: total variation between shares of samples and the law.
import csv, collections, sys
import make_tables
law = {tuple(map(str, row)): p for row, p in getattr(make_tables, sys.argv[1])().items()}
rows = [tuple(row) for row in list(csv.reader(open(sys.argv[2])))[1:]]
count = collections.Counter(rows)
distance = sum(abs(count[row] / len(rows) - law.get(row, 0)) for row in set(law) | set(count)) / 2
assert distance < (0.13 if sys.argv[1] == "garden" else 0.2), distance
print("like the data")
PY
cat >near.py <<'PY'
# near.py TABLE FOLDER: bounds of new rows against their log probabilities.
import csv, json, math, sys
import make_tables
law = {tuple(map(str, row)): math.log(p) for row, p in getattr(make_tables, sys.argv[1])().items()}
truth = [law[tuple(row)] for row in list(csv.reader(open(f"new_{sys.argv[1]}.csv")))[1:]]
found = [float(row[0]) for row in list(csv.reader(open(sys.argv[2] + "/loglik.csv")))[1:]]
gaps = [t - f for t, f in zip(truth, found, strict=True)]
gap = sum(gaps) / len(gaps)
error = math.sqrt(sum((g - gap) ** 2 for g in gaps)) / len(gaps)
assert -4 * error < gap < 0.25 + 4 * error, (gap, error)
figures = json.load(open(sys.argv[2] + "/loglik.json"))
assert abs(figures["bound"] - sum(found) / len(found)) < 1e-6 and abs(figures["bits_per_dim"] * 3 * math.log(2) + figures["bound"]) < 1e-6
print("near the truth")
PY
same="--seed 1 --threads 1"
brief="$same --hidden 8 --epochs 1"

learn="$same --hidden 32,32 --epochs 60 --rate 0.006 --batch 128"
for states in masked glauber flow; do
  expect "$states" 0 "states +$states" -- "$kullback" diffusion garden.csv --states $states $learn --judge-every 10 --out $states
  also "$states: nats and bits" 'nats a row .*bits per dimension'
  expect "samples of $states" 0 "400 samples by $states" -- "$kullback" sample $states --count 400 --threads 1
  expect "$states: with the names of the categories" 0 'like the data' -- python3 like.py garden $states/new_samples.csv
  expect "$states: loglik" 0 'lower bound on the log likelihood' -- "$kullback" loglik $states new_garden.csv --draws 20 --threads 1
  expect "$states: of the right size" 0 'near the truth' -- python3 near.py garden $states
done
expect 'blackout' 0 'states +blackout' -- "$kullback" diffusion nests.csv --states blackout $same --hidden 64,64 --epochs 400 --rate 0.006 --judge-every 100 --out blackout
also 'counts' '3 counts each, with up to 9 values'
expect 'samples of blackout' 0 '400 samples by blackout' -- "$kullback" sample blackout --count 400 --steps 60 --threads 1
expect 'blackout: counts' 0 'like the data' -- python3 like.py nests blackout/new_samples.csv
expect 'blackout: loglik' 0 'lower bound' -- "$kullback" loglik blackout new_nests.csv --draws 40 --threads 1
expect 'blackout: of the right size' 0 'near the truth' -- python3 near.py nests blackout
expect 'the record' 0 '"kind": "discrete-diffusion"' -- cat masked/run.json
expect 'a summary' 0 'held-out bound' -- "$kullback" summary masked
expect 'one figure for each row' 0 '^501 ' -- wc -l masked/loglik.csv
expect 'no checkpoint is left' 1 -- test -e masked/checkpoint.safetensors
expect 'names in quotes where they need them' 0 '"read, inside"' -- cat masked/new_samples.csv
expect 'the same again' 0 '^$' -- bash -c "'$kullback' sample masked --count 400 --threads 1 --quiet --out again.csv && cmp masked/new_samples.csv again.csv"
expect 'the stochastic process of a flow' 0 '20 samples by flow, 30 eval' -- "$kullback" sample flow --eta 1 --steps 30 --count 20 --threads 1 --out eta.csv
expect 'conditionals by classification' 0 'states +glauber' -- "$kullback" diffusion garden.csv --states glauber --sweeps 2 --heat-bath-loss classification $brief --out classes
expect 'integers of a .npy file' 0 '4 categories each, with up to 3 values' -- bash -c "python3 -c \"
import struct
head = \\\"{'descr': '<i8', 'fortran_order': False, 'shape': (50, 4), }\\\"
head += ' ' * (117 - len(head)) + '\\n'
open('whole.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<200q', *[(i * i) % 7 % 3 for i in range(200)]))\" &&
  '$kullback' diffusion whole.npy --states masked $brief --out whole-npy"
for states in masked blackout; do
  expect "images by $states" 0 'up to (3|256) values' -- "$kullback" diffusion $images --states $states $([ $states = masked ] && echo --pixel-levels 3) $same --filters 8,8 --epochs 1 --batch 64 --out bars-$states
  expect "$states: samples and the way to them" 0 -- test -s bars-$states/samples.png -a -s bars-$states/process.png
done
expect 'a strip' 0 -- bash -c "'$kullback' sample bars-masked --count 4 --steps 10 --strip strip.png --threads 1 --out four.png && test -s strip.png"
expect 'a bound of images' 0 'bits per dimension' -- "$kullback" loglik bars-masked $images --rows 5 --draws 2 --threads 1

long="--states masked --hidden 32,32 --epochs 60 --seed 2 --threads 1 --save-every 0"
"$kullback" diffusion garden.csv $long --quiet --out all
expect 'interrupted' 130 -- bash -c "'$kullback' diffusion garden.csv $long --quiet --out part & pid=\$!
  for i in {1..2000}; do [ -e part/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid"
expect 'a sample before the end' 66 'resume goes on' -- "$kullback" sample part
expect 'resumed, without a word of its states' 0 -- "$kullback" diffusion garden.csv --resume --threads 1 --out part
expect 'to the same bits' 0 '^$' -- cmp all/weights.safetensors part/weights.safetensors
expect 'resume with other states' 64 'was begun with --states masked' -- "$kullback" diffusion garden.csv --resume --states flow --out all
expect 'interrupted log likelihoods' 130 'interrupted after [0-9]+ of [0-9]+ evaluations; nothing was written' -- bash -c "interrupted '$kullback' loglik glauber new_garden.csv --draws 100000 --threads 1 --out cut.csv"
expect 'interrupted samples' 130 'nothing was written' -- bash -c "interrupted '$kullback' sample flow --steps 1000000 --threads 1 --out cut.csv"

expect 'no such states' 64 "no --states 'mask'" -- "$kullback" diffusion garden.csv --states mask $brief --out x
expect 'an option of continuous states' 64 'sde is for continuous states, not for --states masked' -- "$kullback" diffusion garden.csv --states masked --sde ve $brief --out x
expect 'an option of other states' 64 'sweeps is not an option of --states masked' -- "$kullback" diffusion garden.csv --states masked --sweeps 3 $brief --out x
expect 'an option of discrete states' 64 'pixel-levels' -- "$kullback" diffusion garden.csv --pixel-levels 3 $brief --out x
expect 'numbers that are no categories' 65 "column 'b' has numbers with decimals" -- bash -c "printf 'a,b\n1,0.5\n2,0.7\n' >decimals.csv; '$kullback' diffusion decimals.csv --states masked $brief --out x"
expect 'too many categories' 65 "column 'n' has 80 different values, more than the 64" -- bash -c "(echo n; seq 80) >many.csv; '$kullback' diffusion many.csv --states masked $brief --out x"
expect 'blackout of words' 65 "found 'spring', but a number is needed|found .*, but a" -- bash -c "printf 'a,b\nspring,1\nsummer,0\n' >words.csv; '$kullback' diffusion words.csv --states blackout $brief --out x"
expect 'blackout of decimals' 65 'but a count' -- "$kullback" diffusion decimals.csv --states blackout $brief --out x
expect 'a new category' 65 "found 'hail', which is none of the 3 values" -- bash -c "printf 'season,weather,activity\nspring,hail,dig\n' >hail.csv; '$kullback' loglik masked hail.csv --threads 1 --out x.csv"
expect 'a larger count' 65 "column 'eggs' has a count 99; the model knows counts up to 8" -- bash -c "printf 'trees,nests,eggs\n1,1,99\n' >eggs.csv; '$kullback' loglik blackout eggs.csv --threads 1 --out x.csv"
expect 'levels of a table' 64 'pixel-levels is for images' -- "$kullback" diffusion garden.csv --states masked --pixel-levels 4 $brief --out x
expect 'steps of sweeps' 64 'its steps are the sweeps' -- "$kullback" sample glauber --steps 5 --threads 1 --out x.csv
expect 'eta of masks' 64 'eta is not for --states masked' -- "$kullback" sample masked --eta 1 --threads 1 --out x.csv
expect 'eta out of range' 64 'must be from 0 to 1' -- "$kullback" sample flow --eta 2 --threads 1 --out x.csv
expect 'a picture of a table' 64 'a .png shows images' -- "$kullback" sample masked --threads 1 --out x.png
expect 'one row' 65 'too few to train on' -- bash -c "printf 'a\nx\n' >one.csv; '$kullback' diffusion one.csv --states masked $brief --out x"
expect 'the weights of another network' 65 'is of another network' -- bash -c "cp -r masked other; forget_files other; cp classes/weights.safetensors other/; '$kullback' sample other --out y.csv"
expect 'a folder of continuous states' 65 "holds a diffusion model of discrete states, not a diffusion model" -- "$kullback" diffusion garden.csv --states continuous --resume --out masked
expect 'help of all states' 0 'heat-bath-loss' -- "$kullback" diffusion --help
expect 'help of the options' 0 'heat-bath-loss' -- "$kullback" diffusion --states glauber --help
finish
