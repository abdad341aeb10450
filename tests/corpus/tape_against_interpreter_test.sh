#!/usr/bin/env bash
# The script that compares tape and interpreter over folders of programs: what agrees, and that it sees what differs.
root=$PWD
source tests/cli/expect.sh

script=$root/tests/corpus/tape_against_interpreter.py
expect 'the examples agree' 0 '^([0-9]+) pairs of program and data: \1 agrees$' -- \
  python3 "$script" "$root/examples" --kullback "$kullback"

mkdir programs
cat >programs/branch.stan <<'S'
data { int N; array[N] int y; }
parameters { real<lower=0, upper=N> tau; real<lower=0> late; }
model {
  for (i in 1:N) {
    real rate;
    if (i < tau) rate = 1; else rate = late;
    y[i] ~ poisson(rate);
  }
}
S
echo '{"N": 5, "y": [1, 0, 2, 4, 3]}' >programs/branch.json
expect 'both sides of comparisons agree' 0 '1 pairs of program and data: 1 agrees' -- \
  python3 "$script" programs --kullback "$kullback"
expect 'points beyond comparisons' 0 '"beyond_guards": [1-9]' -- "$kullback" density programs/branch.stan programs/branch.json --check

# A tape that is wrong by a little.
printf '#!/bin/sh\n"%s" "$@" | sed "s/\\(\\"interpreter\\": {\\"worst_error\\": \\)[^,]*/\\11e-7/"\n' "$kullback" >wrong
chmod +x wrong
expect 'a density that differs is reported' 1 '^differs: .*branch.stan with branch.json: density 1e-07' -- \
  python3 "$script" programs --kullback ./wrong
printf '#!/bin/sh\n"%s" "$@" | sed "s/\\(\\"worst_slope_error\\": \\)[^,]*/\\11e-4/"\n' "$kullback" >wrong
expect 'a slope that differs is reported' 1 'slope 0.0001' -- python3 "$script" programs --kullback ./wrong

finish
