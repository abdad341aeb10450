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
expect 'wrong point' 65 'array of 1 finite number, the unconstrained point; found 2 numbers' -- "$kullback" density model.stan data.json --point long_point.json
echo 'parameters { real mu; } model { mu ~ nrmal(0, 1); }' >wrong.stan
expect 'wrong program' 65 "'normal'" -- "$kullback" density wrong.stan
while IFS='|' read -r option value needed; do
  expect "$option $value" 64 "$option: '$value' was given, but $needed is needed" -- \
    "$kullback" density model.stan data.json "$option" "$value"
done <<'VALUES'
--lanes|0|a whole number from 1 to 1024
--lanes|100000|a whole number from 1 to 1024
--lanes|99999999999999999999|a whole number from 1 to 1024
--lanes|1.5|a whole number from 1 to 1024
--lanes|many|a whole number from 1 to 1024
--repeat|-1|a whole number from 0 to 1000000000
--seed|-1|a whole number from 0 to 18446744073709551615
--seed|18446744073709551616|a whole number from 0 to 18446744073709551615
--minibatch|0|a whole number from 1 to 4294967295
--minibatch|-1|a whole number from 1 to 4294967295
--max-memory|0|a size such as 500MB or 4GB
--max-memory|-1|a size such as 500MB or 4GB
--max-memory|lots|a size such as 500MB or 4GB
--max-memory|5QB|a size such as 500MB or 4GB
--max-memory|99999999999GB|a size such as 500MB or 4GB
VALUES
expect 'an option without its value' 64 '--point needs a value.' -- "$kullback" density model.stan data.json --point
expect 'repeat 0 is no repeat' 0 '"log_density": -5' -- "$kullback" density model.stan data.json --repeat 0
expect 'the largest seed' 0 '"log_density": -5' -- "$kullback" density model.stan data.json --seed 18446744073709551615
for size in 1000000 1e6 1MB 1mib '0.5 GB' 1G; do
  expect "memory $size" 0 '"log_density": -5' -- "$kullback" density model.stan data.json --max-memory "$size"
done
expect 'unknown dump' 64 'dump: all not in \{trace,tape,subsample\}' -- "$kullback" density model.stan data.json --dump all
for option in --check --outputs '--repeat 3' '--lanes 2' '--minibatch 1'; do
  expect "dump with $option" 64 "${option%% *} does nothing with --dump tape" -- "$kullback" density model.stan data.json --dump tape $option
done
expect 'subsample needs no point' 64 '--point does nothing with --dump subsample' -- "$kullback" density model.stan data.json --dump subsample --point point.json
expect 'rows without a minibatch' 64 'hint: Add --minibatch B' -- "$kullback" density model.stan data.json --rows y
expect 'forgotten data' 65 'hint: No data were given: name a data file after the program' -- "$kullback" density model.stan
: >empty.json
expect 'empty data' 65 'empty.json:1:1: the text is empty' -- "$kullback" density model.stan empty.json
: >empty.stan
expect 'empty program' 65 'empty.stan:1:1: error: The program has no blocks' -- "$kullback" density empty.stan
echo 'data { int N; } model { }' >none.stan
echo '{"N": 1}' >one.json
expect 'no parameters' 0 '"gradient": \[\]' -- "$kullback" density none.stan one.json --outputs --check --lanes 8
expect 'no rows' 65 'hint: Rows are the first index of data' -- "$kullback" density none.stan one.json --minibatch 1
expect 'a missing path says where it begins' 66 "hint: The path begins in $folder" -- "$kullback" density model.stan missing.json
if [ "$(id -u)" -ne 0 ]; then
  touch locked.json && chmod 000 locked.json
  expect 'unreadable data' 65 'locked.json: cannot be read: Permission denied' -- "$kullback" density model.stan locked.json
fi
expect 'a closed output' 73 'standard output cannot be written: Bad file descriptor' -- bash -c "'$kullback' density model.stan data.json >&-"
expect 'a full disk' 73 'standard output cannot be written: No space left' -- bash -c "'$kullback' density model.stan data.json >/dev/full"
expect 'a reader that leaves' 0 '^\{$' -- bash -c "'$kullback' density model.stan data.json | head -n 1"
expect 'missing point' 66 'nowhere.json' -- "$kullback" density model.stan data.json --point nowhere.json
expect 'a folder as data' 65 'directory' -- "$kullback" density model.stan .
while IFS='|' read -r point problem; do
  echo "$point" >bad_point.json
  expect "point $point" 65 "bad_point.json: expected an array of 1 finite number,.*; $problem" -- \
    "$kullback" density model.stan data.json --point bad_point.json
done <<'POINTS'
[1|it is not JSON
|it is not JSON
[1] 2|it is not JSON
[1], "more": [2]|found more than an array
"x"|it
["x"]|it
[null]|it
[[1]]|found an array of arrays
5|found a single number
{"1": 5}|found an object
[]|found 0 numbers
["NaN"]|coordinate 1 is nan
[1e400]|it
POINTS

cat >gq.stan <<'STAN'
parameters {
  real<lower=0> sigma;
}
transformed parameters {
  vector[2] v = [sigma, -sigma]';
}
generated quantities {
  array[2] real y = normal_rng(v, 1e-9);
  int<upper=0> wrong = sigma > 2 ? 1 : 0;
}
STAN
expect 'outputs' 0 '"outputs": \{"sigma": 1, "v.1": 1, "v.2": -1, "y.1": (1.00000|0.99999)' -- "$kullback" density gq.stan --outputs
expect 'outputs are JSON' 0 '^$' -- bash -c "'$kullback' density gq.stan --outputs --seed 4 | python3 -c 'import json, sys; json.load(sys.stdin)'"
expect 'the seed matters' 1 -- bash -c "diff <('$kullback' density gq.stan --outputs --seed 1) <('$kullback' density gq.stan --outputs --seed 2)"
expect 'the same seed gives the same' 0 '^$' -- bash -c "diff <('$kullback' density gq.stan --outputs --seed 1) <('$kullback' density gq.stan --outputs --seed 1)"
echo '[3]' >three.json
expect 'a rejected generated quantity' 0 '"y.2": "NaN", "wrong": "NaN"' -- "$kullback" density gq.stan --outputs --point three.json
expect 'its reason' 0 "gq.stan:9:3: generated quantity 'wrong' is 1, but must be at most 0" -- "$kullback" density gq.stan --outputs --point three.json
expect 'trace' 0 's1 = normal_lpdf\(\[1 3\], p0, 1\) \* 2 +# model.stan:1:' -- "$kullback" density model.stan data.json --dump trace
expect 'tape' 0 '1 instructions of 1 operations' -- "$kullback" density model.stan data.json --dump tape
expect 'check names the coordinate' 0 '"worst_coordinate": "mu"' -- "$kullback" density model.stan data.json --check
echo 'data { int N; } parameters { real t; } model { real x = t; for (n in 1:N) x = sin(x); target += x; }' >loop.stan
echo '{"N": 100000}' >loop.json
expect 'too little memory' 65 'needs more than 1 MB of memory.* come from the statement at loop.stan:1:75' -- "$kullback" density loop.stan loop.json --max-memory 1MB

libraries=$(dirname "$kullback")/tests
echo '{"y": [1, 3, -0.5]}' >y.json
echo '[0.3, 0.2, -0.1]' >point3.json
expect 'shared library' 0 '"gradient": \[1.7428321196926' -- "$kullback" density "$libraries/bridgestan_good.so" y.json --point point3.json --lanes 3 --repeat 2
expect 'its gradient' 0 '"worst_error": [0-9.]+e-' -- "$kullback" density "$libraries/bridgestan_good.so" y.json --check
echo '{"x": 1}' >x.json
expect 'it refuses its data' 65 'variable name=y' -- "$kullback" density "$libraries/bridgestan_good.so" x.json
expect 'no library' 66 'missing.so: no such file' -- "$kullback" density missing.so y.json
echo text >text.so
expect 'a library that is none' 65 'text.so: this file cannot be loaded as a shared library' -- "$kullback" density text.so y.json
mkdir folder.so
expect 'a folder as library' 65 'folder.so: expected a shared library, found a folder' -- "$kullback" density folder.so y.json
expect 'another library' 65 "BridgeStan's interface" -- "$kullback" density "$libraries/bridgestan_foreign.so" y.json
expect 'includes are for programs' 64 'include-path' -- "$kullback" density "$libraries/bridgestan_good.so" y.json --include-path .
expect 'minibatches are for programs' 64 'minibatch' -- "$kullback" density "$libraries/bridgestan_good.so" y.json --minibatch 1
expect 'rows are for programs' 64 'rows' -- "$kullback" density "$libraries/bridgestan_good.so" y.json --rows y

expect 'what minibatches scale' 0 'scaled by N/B \(2 terms\): y ~ normal' -- "$kullback" density model.stan data.json --dump subsample
expect 'a minibatch' 0 '"minibatch": \[[12]\]' -- "$kullback" density model.stan data.json --minibatch 1 --check
expect 'time of an exchange' 0 'nanoseconds_to_exchange' -- "$kullback" density model.stan data.json --minibatch 1 --repeat 5
expect 'minibatch output is JSON' 0 '^$' -- bash -c "'$kullback' density model.stan data.json --minibatch 2 --repeat 3 | python3 -c 'import json, sys; json.load(sys.stdin)'"
expect 'all rows' 0 '"log_density": -5' -- "$kullback" density model.stan data.json --minibatch 2
expect 'too many rows' 65 'there are 2' -- "$kullback" density model.stan data.json --minibatch 3
expect 'no such rows' 65 "no data named 'z'" -- "$kullback" density model.stan data.json --rows z --minibatch 1
echo 'data { int N; vector[N] y; } parameters { real r; } model { for (n in 2:N) y[n] ~ normal(r * y[n - 1], 1); }' >ar.stan
expect 'rows that meet' 65 'ar.stan:1:76: no minibatches: rows 1 and 2' -- "$kullback" density ar.stan data.json --dump subsample
expect 'rows of a single number' 65 'hint: Data with rows: y' -- "$kullback" density model.stan data.json --rows N --minibatch 1
expect 'too little memory for a minibatch' 65 'a minibatch of 2 rows: 1024 draws at once need about [0-9.]+ kB of memory, but 10 kB can be used' -- \
  "$kullback" density model.stan data.json --minibatch 2 --lanes 1024 --max-memory 10kB

finish
