#!/usr/bin/env bash
# `kullback density`, as a user meets it.
source "$(dirname "$0")/expect.sh"

echo 'data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }' >model.stan
echo '{"N": 2, "y": [1, 3]}' >data.json
echo '[2]' >point.json
expect 'at the origin' 0 '"log_density": -5' -- "$kullback" density model.stan data.json
expect 'gradient' 0 '"gradient": \[0\]' -- "$kullback" density model.stan data.json --point point.json
expect 'lanes' 0 '"log_density": -1' -- "$kullback" density model.stan data.json --point point.json --lanes 8
expect 'normalized' 0 '"log_density": -2.8378770664093' -- "$kullback" density model.stan data.json --point point.json --normalized
expect 'timing' 0 'nanoseconds_per_gradient' -- "$kullback" density model.stan data.json --repeat 10
expect 'finite differences' 0 '"worst_error": [0-9.]+e-' -- "$kullback" density model.stan data.json --check
expect 'output is JSON' 0 '^$' -- bash -c "'$kullback' density model.stan data.json --check --repeat 3 | python3 -c 'import json, sys; json.load(sys.stdin)'"
expect 'missing data file' 66 'missing.json' -- "$kullback" density model.stan missing.json
expect 'missing program' 66 'missing.stan' -- "$kullback" density missing.stan data.json
echo '{"N": 3, "y": [1, 3]}' >short.json
expect 'wrong shape names both places' 65 "short.json: 'y'.*model.stan:1:" -- "$kullback" density model.stan short.json
echo '{"N": 2, "y": [1, ' >broken.json
expect 'broken JSON' 65 'broken.json' -- "$kullback" density model.stan broken.json
echo '[1, 2]' >long_point.json
expect 'wrong point' 65 'array of 1 numbers' -- "$kullback" density model.stan data.json --point long_point.json
echo 'parameters { real mu; } model { mu ~ nrmal(0, 1); }' >wrong.stan
expect 'wrong program' 65 "'normal'" -- "$kullback" density wrong.stan
expect 'no lanes' 64 'lanes' -- "$kullback" density model.stan data.json --lanes 0

expect 'what minibatches scale' 0 'scaled by N/B \(2 terms\): y ~ normal' -- "$kullback" density model.stan data.json --dump subsample
expect 'a minibatch' 0 '"minibatch": \[[12]\]' -- "$kullback" density model.stan data.json --minibatch 1 --check
expect 'time of an exchange' 0 'nanoseconds_to_exchange' -- "$kullback" density model.stan data.json --minibatch 1 --repeat 5
expect 'minibatch output is JSON' 0 '^$' -- bash -c "'$kullback' density model.stan data.json --minibatch 2 --repeat 3 | python3 -c 'import json, sys; json.load(sys.stdin)'"
expect 'all rows' 0 '"log_density": -5' -- "$kullback" density model.stan data.json --minibatch 2
expect 'too many rows' 65 'there are 2' -- "$kullback" density model.stan data.json --minibatch 3
expect 'no such rows' 65 "no data named 'z'" -- "$kullback" density model.stan data.json --rows z --minibatch 1
echo 'data { int N; vector[N] y; } parameters { real r; } model { for (n in 2:N) y[n] ~ normal(r * y[n - 1], 1); }' >ar.stan
expect 'rows that meet' 65 'ar.stan:1:76: no minibatches: rows 1 and 2' -- "$kullback" density ar.stan data.json --dump subsample
expect 'unknown dump' 64 'subsample' -- "$kullback" density model.stan data.json --dump nothing

finish
