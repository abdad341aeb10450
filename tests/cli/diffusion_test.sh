#!/usr/bin/env bash
# diffusion, score, and sample and loglik of their folders, by way of kullback.
root=$PWD
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1
python3 "$root/tests/deep/make_images.py" .
images=bars-images-idx3-ubyte labels=bars-labels-idx1-ubyte
# Two normals around (-2, 10) and (2, 14), sds 0.5 and 1.
python3 - <<'PY'
import random
random.seed(1)
with open("two.csv", "w") as file:
    file.write("x,y,side\n")
    for i in range(600):
        s = 1 if i % 3 else -1
        file.write(f"{2 * s + random.gauss(0, 0.5)},{12 + 2 * s + random.gauss(0, 1)},{'right' if s > 0 else 'left'}\n")
with open("new.csv", "w") as file:
    file.write("x,y\n")
    for i in range(20):
        s = 1 if i % 3 else -1
        file.write(f"{2 * s + random.gauss(0, 0.5)},{12 + 2 * s + random.gauss(0, 1)}\n")
PY
cat >moments.py <<'PY'
import csv, sys
rows = [list(map(float, row)) for row in list(csv.reader(open(sys.argv[1])))[1:]]
x = [row[0] for row in rows]
share = sum(v > 0 for v in x) / len(x)
mean = sum(row[1] for row in rows) / len(rows)
assert abs(share - 2 / 3) < 0.12, share
assert abs(mean - 12.67) < 0.5, mean
print("like the data")
PY
same="--seed 1 --threads 1"
brief="$same --ignore side --hidden 16 --epochs 2"

expect 'a diffusion model of rows' 0 'held-out bound' -- "$kullback" diffusion two.csv $same --ignore side --hidden 64,64 --epochs 250 --rate 0.003 --out two
expect 'the record' 0 '"kind": "diffusion"' -- cat two/run.json
expect 'nats and bits' 0 'nats a row .*bits per dimension' -- "$kullback" summary two
expect 'a line for each epoch' 0 '^251 ' -- wc -l two/training.csv
expect 'no checkpoint is left' 1 -- test -e two/checkpoint.safetensors
for sampler in heun euler ancestral pc rk45 ddim; do
  expect "samples by $sampler" 0 "samples by $sampler" -- "$kullback" sample two --sampler $sampler --steps 60 --count 500 --threads 1 --out $sampler.csv
  expect "$sampler: in the data's units" 0 'like the data' -- python3 moments.py $sampler.csv
done
expect 'their names' 0 '^x,y$' -- head -1 heun.csv
expect 'the same again' 0 '^$' -- bash -c "'$kullback' sample two --sampler euler --steps 60 --count 500 --threads 1 --quiet --out again.csv && cmp euler.csv again.csv"
expect 'log likelihoods' 0 'by the flow' -- "$kullback" loglik two new.csv --threads 1
expect 'near those of the two normals' 0 -- python3 - <<'PY'
import csv, math
def normal(x, m, s): return math.exp(-((x - m) / s) ** 2 / 2) / (s * math.sqrt(2 * math.pi))
truth = [math.log(sum(w * normal(float(r["x"]), 2 * s, 0.5) * normal(float(r["y"]), 12 + 2 * s, 1)
                      for w, s in ((2 / 3, 1), (1 / 3, -1)))) for r in csv.DictReader(open("new.csv"))]
found = [float(r["log_likelihood"]) for r in csv.DictReader(open("two/loglik.csv"))]
gap = sum(t - f for t, f in zip(truth, found)) / len(truth)
assert -0.3 < gap < 0.5, gap
PY
expect 'with its errors' 0 '"ode_error_of_a_row": [0-9.e-]+,' -- cat two/loglik.json
expect 'interrupted log likelihoods' 130 'interrupted after 0 of 20 rows; nothing was written' -- bash -c "interrupted '$kullback' loglik two new.csv --exact-dims 0 --probes 100000 --threads 1 --out cut.csv"
expect 'nothing is there' 1 -- test -e cut.csv
expect 'by probes too' 0 'by the probes' -- "$kullback" loglik two new.csv --exact-dims 0 --rows 5 --threads 1 --out probes.csv

for sde in ve sub-vp cld ddpm edm flow learned; do
  expect "sde $sde" 0 "noise +$sde" -- "$kullback" diffusion two.csv $brief --sde $sde --out sde-$sde
  expect "samples of $sde" 0 'samples by' -- "$kullback" sample sde-$sde --count 10 --steps 10 --threads 1
done
for pair in 'noise data' 'data velocity' 'score edm' 'velocity likelihood' 'flow min-snr'; do
  what=${pair% *} weighting=${pair#* }
  expect "parameterisation $what" 0 "predicts $what" -- "$kullback" diffusion two.csv $brief --parameterisation $what --weighting $weighting --times log-ratio --out by-$what
  also "weighting $weighting" "weighting $weighting"
done
expect 'a schedule of shares' 0 -- bash -c "echo 0.9 0.5 0.1 0.001 >shares; '$kullback' diffusion two.csv $brief --noise-schedule shares --out shares-out"
for objective in denoising explicit sliced; do
  expect "score by $objective" 0 "$objective" -- "$kullback" score two.csv $brief --objective $objective --out score-$objective
done
expect 'annealed Langevin' 0 'samples by langevin' -- "$kullback" sample score-denoising --count 5 --steps 10 --threads 1
expect 'given the label' 0 'given to the network' -- "$kullback" diffusion two.csv $same --labels side --conditional --hidden 32,32 --epochs 120 --rate 0.003 --out by-side
expect 'samples of one label' 0 'samples by heun' -- "$kullback" sample by-side --label left --guidance 1 --steps 30 --count 100 --threads 1 --out left.csv
expect 'they are on that side' 0 -- python3 -c "
import csv; rows = list(csv.DictReader(open('left.csv'))); assert sum(float(r['x']) < 0 for r in rows) >= 95"
expect 'images' 0 'unet' -- "$kullback" diffusion $images --labels $labels --conditional $same --filters 8,16 --epochs 2 --batch 64 --out bars
expect 'samples and the way to them' 0 -- test -s bars/samples.png -a -s bars/process.png
expect 'a strip' 0 -- bash -c "'$kullback' sample bars --count 4 --steps 10 --strip strip.png --threads 1 --out four.png && test -s strip.png"
expect 'levels are dequantised' 0 'dequantised uniformly' -- "$kullback" loglik bars $images --labels $labels --rows 2 --tolerance 1e-2 --probes 2 --threads 1

long="--ignore side --hidden 32,32 --epochs 60 --seed 2 --threads 1 --save-every 0"
"$kullback" diffusion two.csv $long --quiet --out whole
expect 'interrupted' 130 -- bash -c "'$kullback' diffusion two.csv $long --quiet --out part & pid=\$!
  for i in {1..2000}; do [ -e part/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid"
expect 'a sample before the end' 66 'resume goes on' -- "$kullback" sample part
expect 'resumed' 0 -- "$kullback" diffusion two.csv --resume --threads 1 --out part
expect 'to the same bits' 0 '^$' -- cmp whole/weights.safetensors part/weights.safetensors
expect 'nothing is left to do' 0 'nothing is left to do' -- "$kullback" diffusion two.csv --resume --out whole
expect 'resume with other options' 64 'was begun with --sde vp' -- "$kullback" diffusion two.csv --resume --sde ve --out whole
expect 'the same number in other digits' 0 'nothing is left to do' -- "$kullback" diffusion two.csv --resume --validation 1e-1 --out whole

expect 'options of the record have underscores' 0 '"noise_schedule": "linear"' -- cat whole/run.json
cp -r whole old
forget_files old
python3 - <<'PY'
import json
record = json.load(open("old/run.json"))
record["options"] = {name.replace("_", "-"): text for name, text in record["options"].items()}
record["options"] |= {"ignore": '["side"]', "conditional": "false"}
json.dump(record, open("old/run.json", "w"))
model = json.load(open("old/model.json"))
options = model["sde"]["options"]
model["sde"]["options"] = {name.replace("_", "-"): text for name, text in options.items()}
json.dump(model, open("old/model.json", "w"))
PY
expect 'folders of versions whose options had dashes' 0 'nothing is left to do' -- "$kullback" diffusion two.csv --resume --ignore side --out old
expect 'give the same samples' 0 '^$' -- bash -c "for folder in whole old; do '$kullback' sample \$folder --count 5 --threads 1 --quiet --out \$folder-draws.csv; done; cmp whole-draws.csv old-draws.csv"
expect 'a part with an option that there is not' 65 'noise-shape is not an option' -- bash -c "sed -i 's/noise-schedule/noise-shape/' old/model.json; '$kullback' sample old --out x.csv"

expect 'a schedule that is not monotone' 65 'shares of signal must fall' -- bash -c "echo 0.9 0.95 0.1 >rising; '$kullback' diffusion two.csv $brief --noise-schedule rising --out x"
expect 'levels that do not fall' 64 'the levels must fall' -- "$kullback" score two.csv $brief --noise-levels 10,3,5,1 --out x
expect 'a schedule from nowhere' 66 'nowhere' -- "$kullback" diffusion two.csv $brief --noise-schedule nowhere --out x
expect 'no such SDE' 64 "no --sde 'vpp'" -- "$kullback" diffusion two.csv $brief --sde vpp --out x
expect 'an option of another SDE' 64 'sigma-max is not an option of --sde vp' -- "$kullback" diffusion two.csv $brief --sigma-max 3 --out x
expect 'no such parameterisation' 64 "no --parameterisation 'x0'" -- "$kullback" diffusion two.csv $brief --parameterisation x0 --out x
expect 'no such weighting' 64 "no --weighting 'flat'" -- "$kullback" diffusion two.csv $brief --weighting flat --out x
expect 'no such sampler' 64 "no --sampler 'nuts'" -- "$kullback" sample two --sampler nuts --out x.csv
expect 'an option of another sampler' 64 'eta is not an option of --sampler euler' -- "$kullback" sample two --sampler euler --eta 1 --out x.csv
expect 'a sampler that needs one block' 64 'without a velocity' -- "$kullback" sample sde-cld --sampler ddim --out x.csv
expect 'guidance without labels' 64 'guidance is for conditional' -- "$kullback" sample two --guidance 1 --out x.csv
expect 'no such label' 64 'Known are: ' -- "$kullback" sample by-side --label up --out x.csv
expect 'no strip of rows' 64 'strip shows images' -- "$kullback" sample two --strip x.png --out x.csv
expect 'not overwritten' 73 'exists already' -- "$kullback" sample two --out heun.csv
expect 'rows of another kind' 65 'rows of' -- "$kullback" loglik bars new.csv --labels x --out x.csv
expect 'an unet of rows' 64 'needs images' -- "$kullback" diffusion two.csv $brief --architecture unet --out x
expect 'sizes that cannot be halved' 64 'cannot be halved' -- "$kullback" diffusion $images $same --filters 4,4,4,4,4 --out x
expect 'images of mixed sizes' 65 'bytes follow its header' -- bash -c "cp $images mixed; printf 'more' >>mixed; '$kullback' diffusion mixed $same --out x"
expect 'the weights of another network' 65 'is of another network' -- bash -c "cp -r two other; forget_files other; cp by-noise/weights.safetensors other/; '$kullback' sample other --out y.csv"
expect 'the checkpoint of another network' 65 'is the checkpoint of another model' -- bash -c "'$kullback' diffusion two.csv $long --quiet --out torn & pid=\$!
  for i in {1..2000}; do [ -e torn/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid
  '$kullback' diffusion new.csv --hidden 32,32 --epochs 60 --seed 2 --threads 1 --save-every 0 --quiet --out torn2 & pid=\$!
  for i in {1..2000}; do [ -e torn2/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid
  cp torn2/checkpoint.safetensors torn/; '$kullback' diffusion two.csv --resume --out torn"
expect 'a training that diverges' 65 'ceased to be finite' -- "$kullback" diffusion two.csv $brief --activation relu --rate 1e30 --out burst
expect 'labels that are missing' 64 'needs labels' -- "$kullback" diffusion new.csv $same --conditional --out x
expect 'no such file' 66 'nothing.csv' -- "$kullback" diffusion nothing.csv
expect 'another kind of folder' 65 "holds a diffusion model, not a score" -- "$kullback" score two.csv --resume --out two
finish
