#!/usr/bin/env bash
# kullback fit --method sgld, sghmc and sgnht: rows, threads, resuming, what is refused.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/{eight_schools,logistic}.{stan,json} .
cat > line.stan <<'STAN'
data {
  int<lower=0> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real a;
  real b;
  real<lower=0> s;
}
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  s ~ normal(0, 5);
  y ~ normal(a + b * x, s);
}
STAN
python3 - <<'PY'
import json, random
random.seed(4)
x = [random.gauss(0, 1) for _ in range(3000)]
json.dump({"N": 3000, "x": x, "y": [1 + 2 * v + random.gauss(0, 1.5) for v in x]}, open("line.json", "w"))
PY

draws() { grep -v '^#' "$1"; }
line=("$kullback" fit line.stan line.json)
for method in sgld sghmc sgnht; do
  expect "$method finds the line" 0 '^b +(1\.9|2\.0)' -- "${line[@]}" --method $method --batch-size 100 --seed 1 --out $method
  expect "$method: threads change nothing" 0 '^$' -- bash -c "'$kullback' fit line.stan line.json --method $method --batch-size 100 --seed 1 --threads 1 --quiet --out $method-1 &&
    for c in 1 2 3 4; do diff <(grep -v '^#' $method/chain-\$c.csv) <(grep -v '^#' $method-1/chain-\$c.csv) || exit 1; done"
  expect "$method says what it did" 0 '100 of 3000 rows, anchored at the mode' -- cat $method/run.json
done
expect "minibatches without being asked" 0 '150 of 3000 rows' -- bash -c "'$kullback' fit line.stan line.json --method sgld --seed 1 --draws 50 --quiet --out own; cat own/run.json"
expect "all rows of few" 0 'none \(8 rows are few\)' -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --method sghmc --seed 1 --draws 50 --quiet --out few; cat few/run.json"
expect "no density of all rows" 0 '^nan' -- bash -c "'$kullback' fit line.stan line.json --method sgld --sg-log-density none --seed 1 --draws 20 --quiet --out nolp; grep -v '^#' nolp/chain-1.csv | tail -1"
expect "too many rows" 64 'the data have 3000 rows' -- "${line[@]}" --method sgld --batch-size 3001
expect "an anchor without minibatches" 64 'there are none' -- "$kullback" fit eight_schools.stan eight_schools.json --method sgld --sg-anchor mode
expect "friction without momenta" 64 'Friction is of momenta' -- "${line[@]}" --method sgld --sg-friction 2
expect "no preconditioner for momenta" 64 'sgld has RMSProp' -- "${line[@]}" --method sghmc --sg-preconditioner rmsprop
expect "the biased preconditioner is called so" 0 'not corrected for' -- "${line[@]}" --method sgld --sg-preconditioner rmsprop-biased --seed 1 --out biased
expect "other ways to take rows" 64 'the same probability' -- "${line[@]}" --method sgld --row-sampling epochs
expect "strata" 64 'sghmc takes each set of rows' -- "${line[@]}" --method sghmc --minibatch N=100 --strata y
expect "another control variate" 64 'sg-anchor mode or none is the control' -- "${line[@]}" --method sgnht --row-control none
expect "facts of all chains" 0 '"step size": "[0-9.e-]+; [0-9.e-]+"' -- bash -c "'$kullback' fit line.stan line.json --method sgld --seed 1 --draws 20 --chains 2 --quiet --out two; cat two/run.json"
expect "cycles of a constant step size" 64 'cyclical alone' -- "${line[@]}" --method sgld --sg-cycles 3
expect "no such schedule" 64 'constant, decaying or cyclical' -- "${line[@]}" --method sgld --sg-schedule cosine
expect "it says what it is for" 0 'minibatches' -- "$kullback" methods sgld
finish
