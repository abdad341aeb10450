#!/usr/bin/env bash
# kullback fit --minibatch: what it refuses, what it records, that a resumed run is the same.
source "$(dirname "$0")/expect.sh"

cat > items.stan <<'END'
data { int<lower=1> N; int<lower=1> J; array[N] int<lower=1, upper=J> item; vector[N] y; }
parameters { vector[J] a; real<lower=0> tau; vector<lower=0>[N] w; }
model { tau ~ exponential(1); a ~ normal(0, tau); w ~ gamma(2, 2); y ~ normal(a[item], inv_sqrt(w)); }
END
echo '{"N": 6, "J": 2, "item": [1, 2, 1, 1, 2, 2], "y": [0.3, 1.2, -0.4, 0.8, 2.1, 0.9]}' > items.json
echo 'data { int N; vector[N] y; } parameters { real r; } model { for (n in 2:N) y[n] ~ normal(r * y[n - 1], 1); }' > ar.stan
echo 'data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 2); y ~ normal(m, 1); }' > mean.stan
echo '{"N": 8, "y": [1, 2, 1, 0, 3, 1, 2, 2]}' > eight.json

refuse() {
  local name=$1 pattern=$2 code=$3
  shift 3
  expect "$name" "$code" "$pattern" -- "$kullback" fit "$@" --seed 1 --out refused
}
refuse "more rows than there are" "the data have 6 rows" 64 items.stan items.json --method advi --minibatch N=7
refuse "a size of no data" "hint: First sizes of data: N" 65 items.stan items.json --method advi --minibatch J=2
refuse "no such size" "the data block has no size 'M'" 65 items.stan items.json --method advi --minibatch M=2
refuse "no rows" "1 row or more" 64 items.stan items.json --method advi --minibatch N=0
refuse "no name" "NAME=ROWS is needed" 64 items.stan items.json --method advi --minibatch 3
refuse "rows that meet" "hint: A likelihood with one term for each index of N" 65 ar.stan eight.json --method advi --minibatch N=2
refuse "a method that needs all rows" "nuts needs the log density of all rows" 64 items.stan items.json --method nuts --minibatch N=2
refuse "an objective that is not linear" "linear in log p" 64 mean.stan eight.json --method iw --minibatch N=2
refuse "a family that ties rows together" "hint: --family meanfield" 64 items.stan items.json --method fullrank --minibatch N=2
refuse "strata that are no integers" "hint: Such data: item" 65 items.stan items.json --method advi --minibatch N=2 --strata y
refuse "strata without minibatches" "Add --minibatch" 64 items.stan items.json --method advi --strata item
refuse "streams without minibatches" "Add --minibatch" 64 items.stan items.json --method advi --stream y=y.f64
refuse "a stream of no kind" "NAME=FILE or FILE.csv is needed" 64 items.stan items.json --method advi --minibatch N=2 --stream y=y.txt

expect "parameters of rows" 0 "minibatch 2 of 6 rows, uniform, row control none" -- \
  "$kullback" fit items.stan items.json --method advi --minibatch N=2 --seed 1 --out items
expect "strata" 0 "minibatch 2 of 6 rows, strata" -- \
  "$kullback" fit items.stan items.json --method advi --minibatch N=2 --strata item --seed 1 --out strata
expect "an anchor" 0 "row control anchor" -- "$kullback" fit mean.stan eight.json --method fullrank --minibatch N=3 --seed 1 --out mean
expect "the mean, shrunk: 12 / 8.25" 0 "^m +1\.4" -- "$kullback" fit mean.stan eight.json --method fullrank --minibatch N=3 --seed 1 --out mean2
expect "what rows they were is recorded" 0 '"minibatch": "N=[0-9]+"' -- cat mean/run.json
expect "a complete run needs no resuming" 0 "is complete" -- "$kullback" fit --resume mean

printf 'y\n1\n2\n1\n0\n3\n1\n2\n2\n' > y.csv
echo '{"N": 8}' > size.json
refuse "a stream that is not there" "a path is relative" 66 mean.stan size.json --method fullrank --minibatch N=3 --stream y=nowhere.f64
expect "streamed rows" 0 "^m +1\.4" -- "$kullback" fit mean.stan size.json --method fullrank --minibatch N=3 --stream y.csv --seed 1 --out streamed

finish
