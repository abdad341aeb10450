#!/usr/bin/env bash
# bnn, posteriors, and predict and summary of what they train, by way of kullback.
root=$PWD
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1
python3 "$root/tests/deep/make_data.py" .
quick="--epochs 30 --rate 0.05 --seed 1 --threads 1"
# Both training curves agree to a relative LIMIT.
cat >curves.py <<'PY'
import csv, sys
a, b = ([[float(row[k]) for k in ("loss", "held_out")] for row in csv.DictReader(open(f"{folder}/training.csv"))]
        for folder in sys.argv[1:3])
limit = float(sys.argv[3])
assert len(a) == len(b) > 0, f"{len(a)} and {len(b)} epochs"
worst = max(abs(x - y) / max(1, abs(x)) for rows in zip(a, b) for x, y in zip(*rows))
sys.exit(f"the curves differ by {worst:.2e}" if worst > limit else None)
PY

# All tensors of two folders' weights agree to LIMIT.
cat >weights.py <<'PY'
import array, json, struct, sys
def tensors(folder):
    data = open(f"{folder}/weights.safetensors", "rb").read()
    size, = struct.unpack("<Q", data[:8])
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            numbers = array.array({"F64": "d", "F32": "f", "I64": "q"}[entry["dtype"]], data[8 + size + first:8 + size + last])
            yield name, entry["shape"], numbers
limit = float(sys.argv[3])
for (name, shape, a), (other, other_shape, b) in zip(tensors(sys.argv[1]), tensors(sys.argv[2]), strict=True):
    assert (name, shape) == (other, other_shape), f"{name} {shape} and {other} {other_shape}"
    # Signs of eigenvectors are arbitrary.
    if not name.startswith("state.curvature"):
        worst = max((abs(x - y) / max(1, abs(x)) for x, y in zip(a, b)), default=0)
        if worst > limit: sys.exit(f"{name} differs by {worst:.2e}")
PY

expect 'an ensemble of networks' 0 'held-out RMSE' -- "$kullback" bnn line.csv --target y $quick --out line
expect 'the record' 0 '"kind": "bnn"' -- cat line/run.json
expect 'what the network is' 0 '"hidden": \[50\]' -- cat line/network.json
expect 'a line for each epoch' 0 '^31 ' -- wc -l line/training.csv
expect 'figures' 0 'held_out_coverage_90' -- cat line/summary.json
expect 'weights as safetensors, by layer' 0 '^50 3$' -- python3 -c '
import json, struct
data = open("line/weights.safetensors", "rb").read()
size, = struct.unpack("<Q", data[:8])
print(*json.loads(data[8:8 + size])["center.net.1.weight"]["shape"][1:])'
expect 'no checkpoint is left' 1 -- test -e line/checkpoint.safetensors
expect 'summary' 0 'ensemble, 5 members' -- "$kullback" summary line
expect 'predictions' 0 'coverage_90' -- "$kullback" predict line line.csv
expect 'columns of predictions' 0 '^mean,sd,q5,q25,q50,q75,q95,aleatoric_sd,epistemic_sd$' -- head -1 line-predictions/predictions.csv
expect 'a line for each row' 0 '^301 ' -- wc -l line-predictions/predictions.csv
expect 'figures of predictions' 0 '"crps"' -- cat line-predictions/metrics.json
expect 'it explains the target' 0 -- python3 -c "
import json; figures = json.load(open('line-predictions/metrics.json')); assert figures['rmse'] < 1.2, figures"
expect 'quantiles in order, variances add up' 0 -- python3 -c "
import csv
for row in csv.DictReader(open('line-predictions/predictions.csv')):
    row = {name: float(cell) for name, cell in row.items()}
    assert row['q5'] < row['q25'] < row['q50'] < row['q75'] < row['q95']
    assert abs(row['sd'] ** 2 - row['aleatoric_sd'] ** 2 - row['epistemic_sd'] ** 2) < 1e-9 * row['sd'] ** 2"
expect 'rows without a target' 0 '^300 rows' -- bash -c "cut -d, -f1-3 line.csv >asked.csv; '$kullback' predict line asked.csv --out asked"
expect 'no figures without a target' 1 -- test -e asked/metrics.json
expect 'columns in another order' 0 '^$' -- bash -c "awk -F, -v OFS=, '{print \$4,\$3,\$2,\$1}' line.csv >turned.csv; '$kullback' predict line turned.csv --quiet --out turned && cmp turned/predictions.csv line-predictions/predictions.csv"
expect 'rows of another origin' 0 'ood_auroc +(0.9|1)' -- "$kullback" predict line line.csv --ood far.csv --out ood
expect 'predictions are not overwritten' 73 'exists already|holds a fit already' -- "$kullback" predict line line.csv

expect 'classes from text' 0 'held-out accuracy' -- "$kullback" bnn flowers.csv --target flower $quick --posterior map --out flowers
expect 'classes of new rows' 0 'brier' -- "$kullback" predict flowers flowers.csv
expect 'probabilities sum to 1' 0 -- python3 -c "
import csv
rows = list(csv.DictReader(open('flowers-predictions/predictions.csv')))
assert {row['class'] for row in rows} == {'lily', 'rose', 'iris, blue'}
for row in rows: assert abs(sum(float(cell) for name, cell in row.items() if name.startswith('p_')) - 1) < 1e-6"
expect 'reliability' 0 '"reliability"' -- cat flowers-predictions/metrics.json
expect 'a target of 0 and 1 is a class' 0 'one of 2 classes: 0, 1' -- "$kullback" bnn coin.csv --target side $quick --posterior map --out coin
expect 'unless it is said to be a number' 0 'a number' -- "$kullback" bnn coin.csv --target side $quick --posterior map --likelihood gaussian --out number
expect 'noise that depends on the inputs' 0 'heteroscedastic' -- "$kullback" bnn line.csv --target y $quick --likelihood heteroscedastic --out noisy
expect 'noise that is known' 0 'gaussian likelihood' -- "$kullback" bnn line.csv --target y $quick --noise 0.3 --posterior map --out known
for prior in scale-mixture laplace horseshoe; do
  expect "prior $prior" 0 "$prior prior" -- "$kullback" bnn line.csv --target y $quick --posterior map --prior $prior --out $prior
done
expect 'predictions with scales of a horseshoe' 0 'Results' -- "$kullback" predict horseshoe line.csv
expect 'two layers' 0 '3-20-10-1, tanh' -- "$kullback" bnn line.csv --target y $quick --posterior mle --hidden 20,10 --activation tanh --out deep
expect 'a linear model' 0 ' 3-1, ' -- "$kullback" bnn line.csv --target y $quick --posterior map --hidden none --out linear

expect 'categories, gaps, constant columns' 0 '[0-9]+ cells in a, colour' -- "$kullback" bnn mixed.csv --target y $quick --out mixed
expect 'a row without a target is said' 0 '1 without a target left out' -- "$kullback" summary mixed
also 'a column that does not vary is said' 'never vary.*same'
expect 'an input says what is missing' 0 '"has_indicator": true' -- cat mixed/network.json
expect 'gaps in new rows' 0 'missing cells filled' -- "$kullback" predict mixed mixed.csv
expect 'a level that was not seen' 65 "pink" -- bash -c "printf 'a,colour,same\n1,pink,7\n' >pink.csv; '$kullback' predict mixed pink.csv --out pink"
expect 'left out by name' 0 '1 number \(standardised\); 1 inputs' -- "$kullback" bnn line.csv --target y $quick --posterior map --ignore b --ignore=count --out less

# Each posterior of numbers here, of classes and with its predictions below: of images.
expect 'posteriors and when to use each' 0 'robust idea' -- "$kullback" posteriors
posteriors=$(grep -oE '^[a-z-]+:' <<<"$said" | tr -d :)
for posterior in $posteriors; do
  expect "posterior $posterior" 0 'Results' -- "$kullback" bnn line.csv --target y --posterior $posterior --hidden 10 --epochs 10 --draws 5 --seed 1 --threads 1 --out "of-$posterior"
done
expect 'predictions of chains' 0 'crps' -- "$kullback" predict of-sghmc line.csv

expect 'the same seed, the same bits' 0 '^$' -- bash -c "'$kullback' bnn line.csv --target y $quick --quiet --out again && cmp line/weights.safetensors again/weights.safetensors"
long="--epochs 800 --posterior map --seed 2 --threads 1"
"$kullback" bnn line.csv --target y $long --quiet --out whole
expect 'interrupted' 130 'goes on' -- bash -c "'$kullback' bnn line.csv --target y $long --save-every 0 --out parts & pid=\$!
  for i in {1..1000}; do [ -e parts/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid"
expect 'a checkpoint is there' 0 -- test -e parts/checkpoint.safetensors
expect 'what is unfinished does not predict' 65 'has not finished' -- "$kullback" predict parts line.csv --out none
expect 'resume with other options' 64 'was begun with --hidden 50' -- "$kullback" bnn line.csv --target y --hidden 20 --resume --out parts
expect 'resume with other data' 65 'other data' -- bash -c "head -250 line.csv >shorter.csv; '$kullback' bnn shorter.csv --resume --out parts"
expect 'resumed to the same bits' 0 '^$' -- bash -c "'$kullback' bnn line.csv --resume --quiet --out parts && cmp whole/weights.safetensors parts/weights.safetensors"
expect 'nothing is left to resume' 0 'complete' -- "$kullback" bnn line.csv --resume --out parts
expect 'nothing to resume' 66 'no training to go on with' -- "$kullback" bnn line.csv --target y --resume --out nowhere

python3 "$root/tests/deep/make_images.py" .
bars="bars-images-idx3-ubyte --labels bars-labels-idx1-ubyte"
small="--filters 4 --hidden 10 --rate 0.02 --seed 1 --threads 1"
expect 'images get convolutions' 0 '8 x 8, 4 filters 3 x 3, 10-2' -- "$kullback" bnn $bars --epochs 15 $small --out bars
expect 'what their network is' 0 '"architecture": "conv"' -- cat bars/network.json
expect 'figures of images' 0 'accuracy +(1|0.9)' -- "$kullback" predict bars $bars --out bars-told
expect 'a line for each image' 0 '^301 ' -- wc -l bars-told/predictions.csv
expect 'columns of classes' 0 '^class,p_0,p_1,entropy,expected_entropy,mutual_information$' -- head -1 bars-told/predictions.csv
expect 'gzipped images' 0 '^$' -- bash -c "'$kullback' predict bars bars-images-idx3-ubyte.gz --quiet --out bars-asked && cmp bars-asked/predictions.csv bars-told/predictions.csv"
expect 'no figures without labels' 1 -- test -e bars-asked/metrics.json
python3 -c 'import random, struct, sys
sys.stdout.buffer.write(struct.pack(">4B3I", 0, 0, 8, 3, 100, 8, 8) + random.Random(2).randbytes(6400))' >noise.idx
expect 'images of another origin' 0 'ood_auroc +(0.[6-9]|1)' -- "$kullback" predict bars bars-images-idx3-ubyte --ood noise.idx --out bars-noise
expect 'images in a table' 0 'one of 2 classes: across, down' -- "$kullback" bnn bars.csv --target kind --image 8x8 --posterior map --epochs 5 $small --out bars-table
expect 'new images in a table' 0 'accuracy' -- "$kullback" predict bars-table bars.csv
expect 'a perceptron of images' 0 '64-10-2' -- "$kullback" bnn $bars --architecture mlp --posterior map --epochs 5 --hidden 10 --seed 1 --threads 1 --out bars-mlp
for posterior in $posteriors; do
  extra=; [ "$posterior" = hmc ] && extra="--max-leapfrogs 5"
  expect "convolutions by $posterior" 0 'Results' -- "$kullback" bnn $bars --posterior $posterior --members 1 --filters 2 --hidden 4 --epochs 2 --draws 5 $extra --seed 1 --threads 1 --out "conv-$posterior"
  expect "predictions of images by $posterior" 0 'brier' -- "$kullback" predict "conv-$posterior" $bars --draws 5
done
expect 'images without labels' 64 'Name the file with them with --labels' -- "$kullback" bnn bars-images-idx3-ubyte --out none
expect 'images with a target' 64 'target is for tables' -- "$kullback" bnn $bars --target y --out none
expect 'labels of a table' 64 'labels is for files of images' -- "$kullback" bnn line.csv --labels bars-labels-idx1-ubyte --target y --out none
expect 'labels of other images' 65 '300 labels for 100 images' -- "$kullback" bnn noise.idx --labels bars-labels-idx1-ubyte --out none
expect 'convolutions of a table' 64 'architecture conv needs images' -- "$kullback" bnn line.csv --target y --architecture conv --out none
expect 'filters of a perceptron' 64 'filters is not an option of --architecture mlp' -- "$kullback" bnn line.csv --target y --filters 3 --out none
expect 'an even kernel' 64 'must be odd' -- "$kullback" bnn $bars --kernel 4 --out none
expect 'too many convolutions' 64 'too small for 4 convolutions' -- "$kullback" bnn $bars --filters 2,2,2,2 --out none
expect 'an image of the wrong size' 65 'rows of 64 numbers, but images 9x9 have 81' -- "$kullback" bnn bars.csv --target kind --image 9x9 --out none
expect 'numbers as the classes of images' 64 'likelihood gaussian is for numbers' -- "$kullback" bnn $bars --likelihood gaussian --out none
expect 'random bytes named .idx' 65 'junk.idx: is no IDX file' -- bash -c "printf 'random bytes, as it were' >junk.idx; '$kullback' bnn junk.idx --labels bars-labels-idx1-ubyte --out none"
expect 'a table for a network of images' 65 'and this is a table' -- "$kullback" predict bars line.csv --out none
expect 'images for a network of a table' 65 'trained on the rows of a table' -- "$kullback" predict line bars-images-idx3-ubyte --out none

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
for case in 'map 2' 'ensemble 4' 'mean-field 3'; do
  posterior=${case% *} ranks=${case#* }
  ranked="bnn line.csv --target y --posterior $posterior --epochs 5 --batch 30 --precision float64 --seed 3 --threads 1 --quiet"
  "$kullback" $ranked --out "ranks1-$posterior"
  expect "$posterior on $ranks ranks" 0 '^$' -- bash -c "mpirun --oversubscribe -n $ranks '$kullback' $ranked --out ranks$ranks-$posterior && python3 curves.py ranks1-$posterior ranks$ranks-$posterior 1e-9"
done
# Members divided among the ranks, unevenly among three: the same networks as on one rank, whatever their number.
for case in 'ensemble --members 5' 'mean-field --members 4' 'low-rank --members 4' 'sghmc' 'hmc --batch 270 --max-leapfrogs 10' 'laplace --members 4' \
  'dropout --members 4' 'swag --members 4 --collect-from 0.3'; do
  name=${case%% *}
  spread="bnn line.csv --target y --posterior $case --hidden 10 --epochs 5 --precision float64 --seed 3 --threads 1 --draws 10"
  expect "$name on one rank" 0 'Results' -- "$kullback" $spread --out "spread1-$name"
  numbers=3; [ "$name" = ensemble ] && numbers='2 4'
  for ranks in $numbers; do
    expect "members of $name on $ranks ranks" 0 "processes +$ranks; the members are divided" -- mpirun --oversubscribe -n $ranks "$kullback" $spread --out "spread$ranks-$name"
    expect "the same curve of $name on $ranks ranks" 0 -- python3 curves.py "spread1-$name" "spread$ranks-$name" 1e-9
    expect "the same weights of $name on $ranks ranks" 0 -- python3 weights.py "spread1-$name" "spread$ranks-$name" 1e-8
  done
done
expect 'fewer members than ranks: rows are divided' 0 'each has a part of every minibatch' -- mpirun --oversubscribe -n 2 "$kullback" bnn line.csv --target y --posterior map --epochs 2 --seed 3 --threads 1 --out rows-divided
long="--posterior ensemble --members 4 --epochs 200 --precision float64 --seed 2 --threads 1"
"$kullback" bnn line.csv --target y $long --quiet --out spread-whole
expect 'members on two ranks, interrupted' 0 -- bash -c "mpirun --oversubscribe -n 2 '$kullback' bnn line.csv --target y $long --save-every 0 --out spread-parts & pid=\$!
  for i in {1..1000}; do [ -e spread-parts/checkpoint.safetensors ] && break; sleep 0.01; done
  kill -INT \$(cut -d' ' -f1 /proc/\$pid/task/\$pid/children); wait \$pid; grep -q '\"status\": \"interrupted\"' spread-parts/run.json"
expect 'and resumed on one' 0 '^$' -- bash -c "'$kullback' bnn line.csv --resume --quiet --out spread-parts && python3 curves.py spread-whole spread-parts 1e-9"

expect 'one rank fails' 66 'none.csv' -- mpirun --oversubscribe -n 2 "$kullback" bnn none.csv --target y

expect 'help of networks' 0 '^Training:' -- "$kullback" bnn --help
expect 'no data' 64 'needs TRAIN' -- "$kullback" bnn
expect 'no target' 64 'Name it with --target' -- "$kullback" bnn line.csv
expect 'a target that is not there' 65 "no column 'z'" -- "$kullback" bnn line.csv --target z
expect 'a missing file' 66 'none.csv' -- "$kullback" bnn none.csv --target y
expect 'text where a number is needed' 65 'has text, but a number is needed' -- "$kullback" bnn flowers.csv --target flower --likelihood gaussian
expect 'text where numbers were' 65 "text.csv:2.*'b'" -- bash -c "printf 'a,b,count\n1,blue,2\n' >text.csv; '$kullback' predict line text.csv --out text"
expect 'a column that is not there' 65 "'b'" -- bash -c "printf 'a,count\n1,2\n' >narrow.csv; '$kullback' predict line narrow.csv --out narrow"
expect 'one class only' 65 'one class only' -- bash -c "printf 'a,k\n1,x\n2,x\n3,x\n' >one.csv; '$kullback' bnn one.csv --target k"
expect 'a target that does not vary' 65 'in all rows' -- bash -c "printf 'a,k\n1,2.5\n2,2.5\n3,2.5\n' >flat.csv; '$kullback' bnn flat.csv --target k"
expect 'too few rows' 65 'too few' -- bash -c "printf 'a,k\n1,2.5\n2,3.5\n' >few.csv; '$kullback' bnn few.csv --target k --validation 0.5"
if [ ! -e /dev/nvidia0 ]; then
  expect 'no GPU' 64 'no CUDA device' -- "$kullback" bnn line.csv --target y --device cuda
fi
expect 'rows that are streamed, to the same bits' 0 '^$' -- bash -c "'$kullback' bnn line.csv --target y $quick --device-memory 0 --quiet --out streamed && cmp line/weights.safetensors streamed/weights.safetensors"
expect 'memory that is no number' 64 'a size such as 500MB or 4GB' -- "$kullback" bnn line.csv --target y --device-memory lots --out none
expect 'products in bfloat16' 0 'held-out RMSE' -- "$kullback" bnn line.csv --target y $quick --precision bf16 --out brief
expect 'they predict' 0 'crps' -- "$kullback" predict brief line.csv
expect 'bfloat16 is not for hmc' 64 'bf16 is not safe with --posterior hmc' -- "$kullback" bnn line.csv --target y --posterior hmc --precision bf16 --out none
expect 'bfloat16 is not for laplace' 64 'bf16 is not safe with --posterior laplace' -- "$kullback" bnn line.csv --target y --posterior laplace --precision bf16 --out none
expect 'an option that is misspelled' 64 "Did you mean '--hidden'" -- "$kullback" bnn line.csv --target y --hiden 5
expect 'an option without its value' 64 'hidden needs a value' -- "$kullback" bnn line.csv --target y --hidden --quiet
expect 'of an option given twice the last' 64 "hidden is '5,x'" -- "$kullback" bnn line.csv --target y --hidden 3 --hidden=5,x
expect 'a posterior that does not exist' 64 "Did you mean 'ensemble'" -- "$kullback" bnn line.csv --target y --posterior ensembel
expect 'units that are none' 64 'whole numbers' -- "$kullback" bnn line.csv --target y --hidden 5,x
expect 'an activation that does not exist' 64 'leaky-relu' -- "$kullback" bnn line.csv --target y --activation step
expect 'an option of another prior' 64 'not an option of --prior gaussian' -- "$kullback" bnn line.csv --target y --prior-narrow 0.1
expect 'noise of classes' 64 'noise is not an option' -- "$kullback" bnn flowers.csv --target flower --noise 1 --out none
expect 'the folder is not overwritten' 73 'holds a fit already' -- "$kullback" bnn line.csv --target y --out line
expect 'nor with foreign files in it' 73 'foreign: holds notes.txt, which no run' -- bash -c "cp -r line foreign; echo mine >foreign/notes.txt
  '$kullback' bnn line.csv --target y $quick --out foreign --force"
expect 'nor by a training that cannot begin' 65 'too few' -- bash -c "rm foreign/notes.txt; printf 'a,k\n1,2.5\n2,3.5\n' >scarce.csv
  '$kullback' bnn scarce.csv --target k --validation 0.5 --out foreign --force"
expect 'else replaced' 0 '^$' -- bash -c "'$kullback' bnn line.csv --target y $quick --quiet --out foreign --force &&
  cmp line/weights.safetensors foreign/weights.safetensors && test ! -e foreign/.next"
expect 'an interrupted training, too' 0 '^$' -- bash -c "interrupted '$kullback' bnn line.csv --target y $long --save-every 0 --quiet --out broken 2>/dev/null
  test -e broken/checkpoint.safetensors && '$kullback' bnn line.csv --target y $quick --quiet --out broken --force &&
  cmp line/weights.safetensors broken/weights.safetensors && test ! -e broken/checkpoint.safetensors"
expect 'weights of another network' 65 'another network' -- bash -c "cp -r line swapped; forget_files swapped; cp deep/weights.safetensors swapped; '$kullback' predict swapped line.csv --out none"
expect 'weights that are cut off' 65 'ends within' -- bash -c "cp -r line cut; forget_files cut; head -c 3000 line/weights.safetensors >cut/weights.safetensors; '$kullback' predict cut line.csv --out none"
expect 'the loss ceases to be finite' 65 'ceased to be finite in epoch' -- "$kullback" bnn line.csv --target y --posterior map --rate 1e30 --epochs 20 --seed 1 --out wild
also 'it says where' '(layer|parameters) net'
expect 'nothing is left of a training that failed at once' 1 -- test -e wild
expect 'later, the last good epoch is kept' 65 'holds the network after epoch' -- "$kullback" bnn line.csv --target y --posterior map --schedule constant --batch 300 --rate 300 --patience 0 --epochs 20 --seed 1 --out astray
expect 'and it predicts' 0 'Results' -- "$kullback" predict astray line.csv
expect 'predict of something else' 65 "holds predictions, not a network" -- "$deep" predict line-predictions line.csv --out none
expect 'without kullback-deep' 66 'kullback-deep is not installed' -- bash -c "mkdir alone && cp '$kullback' '${kullback%/*}/libkullback.so.1' alone && PATH=/nowhere alone/kullback bnn line.csv --target y"
finish
