#!/usr/bin/env bash
# mixture, topics, hmm, factors, regress, and predict with what they fit.
root=$PWD
source "$(dirname "$0")/expect.sh"
python3 "$root/tests/conjugate/make_data.py" .
elbo() { python3 -c "import json, sys; print(repr(json.load(open(sys.argv[1] + '/summary.json'))['elbo']))" "$1"; }
# The bounds of two fits agree to a relative 1e-9.
cat >near.py <<'PY'
import json, sys
a, b = (json.load(open(f"{folder}/summary.json"))["elbo"] for folder in sys.argv[1:3])
limit = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-9
sys.exit(f"{a} and {b} differ by {abs(a - b) / abs(a):.2e}") if not abs(a - b) <= limit * abs(a) else None
PY

expect 'the two-component mixture' 0 'No problems found' -- "$kullback" mixture two.csv --components 2 --seed 1 --out two
expect 'components in a table' 0 'weight' -- head -1 two/components.csv
expect 'a line for each row' 0 '^201 ' -- wc -l two/responsibilities.csv
expect 'a record' 0 '"status": "complete"' -- cat two/run.json
expect 'files of the model' 0 '"kind": "gaussian"' -- cat two/model.json
expect 'the folder is not overwritten' 73 'holds a fit already' -- "$kullback" mixture two.csv --components 2 --out two
expect 'new rows, columns in another order' 0 '30 units, mean log density' -- bash -c "'$kullback' mixture groups.csv --components 3 --seed 1 --quiet --out groups && '$kullback' predict groups new.csv"
expect 'lines of new rows' 0 '^31 ' -- wc -l groups-predictions/responsibilities.csv
expect 'rows that lack a column' 65 "'c'" -- bash -c "cut -d, -f1,2 groups.csv >narrow.csv; '$kullback' predict groups narrow.csv --out narrow"
expect 'predict without data' 64 'Give a file' -- "$kullback" predict groups

expect 'mixture of counts' 0 'Results' -- "$kullback" mixture counts.csv --kind poisson --components 2 --seed 1 --out counts
expect 'mixture of categories' 0 'Results' -- "$kullback" mixture cats.csv --kind categorical --components 2 --seed 1 --out cats
expect 'topics' 0 'Results' -- "$kullback" topics corpus.ldac --topics 3 --seed 1 --out topics
expect 'topics without their number' 0 'Results' -- "$kullback" topics corpus.ldac --kind hdp --seed 1 --passes 30 --out hdp
expect 'hidden states' 0 'Results' -- "$kullback" hmm series.csv --sequence run --states 2 --seed 1 --out hmm
expect 'a line for each moment' 0 '^901 ' -- wc -l hmm/states.csv
expect 'factors' 0 'Results' -- "$kullback" factors wide.csv --kind fa --factors 4 --seed 1 --out factors
expect 'ratings' 0 'Results' -- "$kullback" factors ratings.csv --kind matrix --factors 3 --seed 1 --out ratings
expect 'a regression' 0 'x3' -- "$kullback" regress line.csv --target y --prior ard --seed 1 --out line
expect 'a logistic regression' 0 'Results' -- "$kullback" regress binary.csv --kind logistic --target bought --seed 1 --out binary
expect 'a linear regression of a target with two values' 0 "The target 'bought' has only two values" -- "$kullback" regress binary.csv --target bought --seed 1 --out two-values
also 'what to use instead' '--kind logistic'
expect 'a target of many numbers has no such finding' 1 -- grep -q 'binary-target' line/run.json
cat >extremes.py <<'PY'
import struct
def npy(name, value):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (20, 2), }"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        out.write(struct.pack("<40d", *[value] * 40))
for name, value in (("nan", float("nan")), ("inf", float("inf")), ("huge", 1e308), ("tiny", 1e-300)):
    npy(name + ".npy", value)
open("huge.csv", "w").write("x,y\n" + "".join(f"{i % 7 + 1}e307,{i % 5}\n" for i in range(40)))
PY
python3 extremes.py
expect 'values too large to be squared' 65 "huge.csv:2: column 'x': found '1e307', which is too large" -- "$kullback" regress huge.csv --target y --out huge
for verb in mixture hmm 'factors --kind fa' 'regress --target c2'; do
  expect "$verb: no value at all" 65 "nan.npy.*column 'c1'(: found 'nan'| has no value)" -- "$kullback" $verb nan.npy --seed 1 --out extreme
  expect "$verb: infinite" 65 "inf.npy, row 1: column 'c1': found 'inf'" -- "$kullback" $verb inf.npy --seed 1 --out extreme
  expect "$verb: too large" 65 "huge.npy, row 1: column 'c1': found '1e.?308', which is too large" -- "$kullback" $verb huge.npy --seed 1 --out extreme
  expect "$verb: too small" 65 "tiny.npy: column 'c1': the largest value is 1e-300, too small" -- "$kullback" $verb tiny.npy --seed 1 --out extreme
done
expect 'ratings: too large' 65 "found '1e308', which is too large" -- bash -c "printf 'user,item,rating\na,b,1\na,c,1e308\n' >rated.csv; '$kullback' factors rated.csv --kind matrix --seed 1 --out extreme"
expect 'topics: infinite' 65 "inf.npy, row 1: column 'c1': found 'inf'" -- "$kullback" topics inf.npy --seed 1 --out extreme
expect 'predict the target' 0 '400 units, mean log density' -- "$kullback" predict line line.csv
expect 'predict where the target is unknown' 0 '400 units' -- bash -c "cut -d, -f1-3 line.csv >asked.csv; '$kullback' predict line asked.csv --out asked"

for method in svi streaming; do
  expect "$method" 0 'Results' -- "$kullback" mixture groups.csv --components 3 --method $method --batch 100 --seed 1 --out $method
  expect "$method comes near the bound of all data" 0 '^$' -- python3 near.py groups $method 0.02
done
expect 'svi by adam' 0 'Results' -- "$kullback" mixture groups.csv --components 3 --method svi --step adam --batch 100 --seed 1 --out adam
expect 'svi on rows drawn by importance' 0 'Results' -- "$kullback" mixture groups.csv --components 3 --method svi --row-sampling importance --batch 100 --seed 1 --out important
expect 'streamed data' 0 '^$' -- bash -c "'$kullback' mixture groups.csv --components 3 --seed 1 --stream --quiet --out streamed && python3 near.py groups streamed 1e-6"
expect 'the posterior of a part as prior of the rest' 0 'Results' -- bash -c "head -301 groups.csv >first.csv; (head -1 groups.csv; tail -300 groups.csv) >second.csv
  '$kullback' mixture first.csv --components 3 --seed 1 --quiet --out first && '$kullback' mixture second.csv --components 3 --update first --seed 1 --out second"
expect 'a prior of another model' 65 'fitted with --components 3' -- "$kullback" mixture second.csv --components 4 --update first --seed 1 --out third

expect 'starts' 0 'best of 5 starts' -- "$kullback" mixture groups.csv --components 5 --starts 5 --seed 1 --threads 2 --out starts
expect 'threads change nothing' 0 '^$' -- bash -c "'$kullback' mixture groups.csv --components 5 --starts 5 --seed 1 --threads 1 --quiet --out thread && cmp starts/state.npy thread/state.npy"
export ASAN_OPTIONS=detect_leaks=0  # OpenMPI leaks
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for model in 'mixture groups.csv --components 3' 'topics corpus.ldac --topics 3' 'hmm series.csv --sequence run --states 2' 'factors wide.csv --factors 3' 'regress line.csv --target y' 'mixture groups.csv --components 3 --method svi --batch 100 --passes 3'; do
  name=$(tr -cs 'a-z\n' - <<<"$model")
  "$kullback" $model --seed 1 --quiet --out "alone-$name"
  for ranks in 2 4; do
    expect "$ranks ranks: $model" 0 '^$' -- bash -c "mpirun --oversubscribe -n $ranks '$kullback' $model --seed 1 --quiet --out 'ranks$ranks-$name' && python3 near.py 'alone-$name' 'ranks$ranks-$name'"
  done
done
expect 'lines in the order of the rows' 0 '^$' -- bash -c "cut -d, -f1 alone-mixture-groups-csv-components-/responsibilities.csv >a; cut -d, -f1 ranks4-mixture-groups-csv-components-/responsibilities.csv >b; cmp a b"
expect 'one rank fails' 66 'none.csv' -- mpirun --oversubscribe -n 2 "$kullback" mixture none.csv --components 2

expect 'a missing file' 66 'none.csv' -- "$kullback" mixture none.csv --components 2
expect 'a ragged file' 65 'ragged.csv:3' -- bash -c "printf 'a,b\n1,2\n3\n' >ragged.csv; '$kullback' mixture ragged.csv --components 1"
expect 'text in a column of numbers' 65 "text.csv:3.*'b'" -- bash -c "printf 'a,b\n1,2\n3,blue\n' >text.csv; '$kullback' mixture text.csv --components 1"
expect 'negative counts' 65 'negative.csv:3' -- bash -c "printf 'a,b\n1,2\n3,-1\n' >negative.csv; '$kullback' mixture negative.csv --kind poisson --components 1"
expect 'fewer rows than components' 65 'rows' -- bash -c "printf 'a,b\n1,2\n3,4\n' >few.csv; '$kullback' mixture few.csv --components 3"
expect 'nothing is left of a fit that failed' 1 -- test -e few-mixture
expect 'an option of another kind' 64 'not an option of --kind poisson' -- "$kullback" mixture counts.csv --kind poisson --covariance full
expect 'a number that is none' 64 'components' -- "$kullback" mixture counts.csv --components many
expect 'an unknown kind' 64 'kind' -- "$kullback" mixture counts.csv --kind cubic
expect 'no target' 64 'Name it with --target' -- "$kullback" regress line.csv
expect 'a target that is not there' 65 "'z'" -- "$kullback" regress line.csv --target z
expect 'nothing to resume' 66 'no fit to go on with' -- "$kullback" mixture two.csv --components 2 --resume --out nowhere
expect 'an option of another method' 64 '--batch is not an option of --method cavi' -- "$kullback" mixture two.csv --batch 100
also 'a method that has it' 'add --method svi'
expect 'the rate of steps that have none' 64 '--rate has no effect with --step robbins-monro' -- "$kullback" mixture two.csv --method svi --rate 0.1
expect 'steps of a first pass over a stream' 64 '--first-steps has no effect with --stream' -- "$kullback" mixture two.csv --first-steps 2 --stream
for renamed in 'mixture --tolerance --bound-tol' 'regress --tolerance --bound-tol' 'mixture --adam-rate --rate' 'hmm --shape --prior-shape'; do
  read -r verb before now <<<"$renamed"
  expect "$verb $before has another name" 64 "kullback $verb has no option '$before'" -- "$kullback" $verb two.csv $before 1
  also 'the name' "is $now\."
done
expect 'a number that is too small' 64 '--concentration is 0; it must be above 0' -- "$kullback" mixture two.csv --concentration 0
expect 'a page at once' 0 'Report: ' -- "$kullback" mixture two.csv --components 2 --seed 1 --report --out page
expect 'the page' 0 -- test -s page/report.html

# A folder as versions wrote it whose options had other names.
cat >age.py <<'PY'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
model, run = (json.loads((folder / f"{name}.json").read_text()) for name in ("model", "run"))
old = lambda name: {"prior_shape": "shape", "prior_rate": "rate"}.get(name, name.replace("_", "-"))
word = lambda text: {"1": "true", "0": "false"}.get(text, text)
model["settings"] = {old(name): word(text) if name == "join" else text for name, text in model.pop("options").items()} | {"concentration": ""}
run["options"] = {old(name): str(value).lower() for name, value in run["options"].items()} | {"tolerance": "1e-06"}
del run["options"]["bound-tol"], run["files"]
(folder / "model.json").write_text(json.dumps(model))
(folder / "run.json").write_text(json.dumps(run))
PY
"$kullback" mixture counts.csv --kind poisson --components 2 --prior-rate 0.5 --join false --seed 1 --quiet --out aged && cp -r aged young && python3 age.py aged
expect 'an old folder is summed up' 0 '^$' -- bash -c "'$kullback' summary aged | grep -v Results >a && '$kullback' summary young | grep -v Results >b && cmp a b"
expect 'an old folder predicts' 0 '^$' -- bash -c "for age in aged young; do '$kullback' predict \$age counts.csv --quiet --out p-\$age; done; cmp p-aged/responsibilities.csv p-young/responsibilities.csv"
expect 'an old folder is a prior' 0 'Results' -- "$kullback" mixture counts.csv --kind poisson --components 2 --prior-rate 0.5 --join false --update aged --seed 1 --out onward
expect 'of the same options' 65 'fitted with --prior-rate 0.5, but this fit has none' -- "$kullback" mixture counts.csv --kind poisson --components 2 --join false --update aged --seed 1 --out onward2
expect 'an old folder is not resumed' 65 'begun by an earlier version' -- "$kullback" mixture counts.csv --kind poisson --components 2 --prior-rate 0.5 --join false --resume --seed 1 --out aged

expect 'resume with other options' 64 'was begun with --components 2' -- "$kullback" mixture two.csv --components 3 --seed 1 --resume --out two
finish
