#!/usr/bin/env bash
# What is said of files in each other's place, and advice that works when it is added to the command that was run.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/eight_schools.{stan,json} .
model=eight_schools.stan data=eight_schools.json
printf 'x,y\n1,2\n2,3\n3,5\n' >table.csv
printf '\x93NUMPY\x01\x00v\x00{}' >array.npy
gzip -c table.csv >table.csv.gz
mkdir dir

# Program and data changed places, in every verb that reads both.
for verb in fit density simulate calibrate optimize; do
  expect "$verb: swapped" 65 'eight_schools.json:1:1: error: This is JSON, not a Stan program' -- "$kullback" $verb $data $model
  also "$verb: says the order" 'hint: The program comes first, then the data: MODEL.stan DATA.json'
  expect "$verb: a program as data" 65 'eight_schools.stan: is a Stan program, but data are needed' -- "$kullback" $verb $model $model
  expect "$verb: a table as data" 65 'table.csv: is a table \(CSV\), but data are needed: a JSON object' -- "$kullback" $verb $model table.csv
done
for verb in check format modernize bridge; do
  expect "$verb: data" 65 'This is JSON, not a Stan program' -- "$kullback" $verb $data
done
expect 'a NumPy array as data' 65 'array.npy: is a NumPy array, but data' -- "$kullback" fit $model array.npy
expect 'a compressed file as data' 65 'table.csv.gz: is compressed \(gzip\), but data' -- "$kullback" fit $model table.csv.gz
expect 'a folder as data' 65 'A file is needed, not a folder' -- "$kullback" fit $model dir
expect 'a table as a program' 65 'This is a table \(CSV\), not a Stan program' -- "$kullback" fit table.csv
expect 'an array as a program' 65 'This is a NumPy array, not a Stan program' -- "$kullback" check array.npy
expect 'a dump as a program' 65 'This is data \(an R dump\), not a Stan program' -- bash -c "echo 'J <- 8' >dump.R; '$kullback' fit dump.R $model"
expect 'an empty program' 65 'A program needs at least one block' -- bash -c ": >empty; '$kullback' fit empty"
expect 'an empty data file' 65 'The file holds no values' -- "$kullback" fit $model empty
expect 'no data' 65 'No data were given: name a data file after the program' -- "$kullback" fit $model
expect 'a table as starting values' 65 'table.csv: is a table' -- "$kullback" fit $model $data --method nuts --init table.csv --out never
expect 'a program as a table' 65 'this is a Stan program, but a table is needed' -- "$kullback" mixture $model
expect 'JSON as a table' 65 'this is JSON, but a table is needed' -- "$kullback" regress $data --target y
expect 'a program as a fit' 66 'eight_schools.stan: is a file; the folder of a fit is needed' -- "$kullback" predict $model

# Words of other programs, and words too many.
expect 'a verb' 64 "Did you mean 'fit'" -- "$kullback" fitt
expect 'one file more' 64 "'more' is one argument too many" -- "$kullback" fit $model $data more
expect 'one dash' 64 'Options have two dashes: --method' -- "$kullback" fit $model $data -method nuts
expect 'no dash' 64 'Options have two dashes: --method=nuts' -- "$kullback" fit $model $data method=nuts
expect "Stan's name" 64 'Here it is --target-accept' -- "$kullback" fit $model $data --adapt-delta 0.9
expect 'data as an option' 64 'comes after the program' -- "$kullback" fit $model --data $data

# What no starting value changes.
cat >sizes.stan <<'STAN'
data { int N; vector[N] y; }
parameters { vector[2] mu; }
model { y ~ normal(mu, 1); }
STAN
echo '{"N": 3, "y": [1, 2, 3]}' >three.json
echo '{"N": 2, "y": [1, NaN]}' >missing.json
sizes="sizes.stan:3:9: normal: the variate has 3 elements, but the location has 2 elements, in 'y ~ normal\(mu, 1\);'"
for verb in fit 'fit --method nuts' optimize density 'density --check' 'density --dump tape'; do
  read -ra words <<<"$verb"
  expect "$verb: sizes" 65 "$sizes" -- "$kullback" "${words[0]}" sizes.stan three.json "${words[@]:1}"
  also "$verb: one suggestion" 'hint: Give them the same size; a single number goes with any'
  expect "$verb: missing values" 65 'variate is NaN \(element 2 of 2\)' -- "$kullback" "${words[0]}" sizes.stan missing.json "${words[@]:1}"
  also "$verb: no starting values" 'hint: The value does not depend on parameters: correct the data'
done

# Starting values: what has been tried is not suggested.
echo 'parameters { real<lower=0> s; } model { target += log(-s); }' >never.stan
expect 'a smaller radius' 65 'smaller radius, such as --init 0.1' -- "$kullback" fit never.stan --method nuts
expect 'at the origin' 65 'hint: Give starting values with --init FILE.json.$' -- "$kullback" fit never.stan --method nuts --init 0
echo '{"s": 1}' >start.json
expect 'of a file' 65 'hint: Correct the values of parameters there, or leave --init out' -- "$kullback" fit never.stan --method nuts --init start.json

# Advice is added to the command that was run.
fit=("$kullback" fit $model $data --seed 1)
expect "the default refuses a method's option" 64 'hint: Add --method nuts' -- "${fit[@]}" --target-accept 0.9 --out auto
expect 'and takes it with the advice' 0 'nuts, 4 chains' -- "${fit[@]}" --target-accept 0.9 --out auto --method nuts
expect 'the last of two counts' 0 'nuts, 4 chains x 150 draws' -- "${fit[@]}" --method nuts --draws 100 --out twice --draws 150
expect 'a folder that holds a fit' 73 'hint: --force replaces it, --out DIR puts the new one elsewhere.$' -- "${fit[@]}" --method nuts --out twice
expect 'which --force replaces' 0 'Results: twice' -- "${fit[@]}" --method nuts --out twice --force
expect 'a folder that holds predictions' 73 'hint: --force replaces it, --out DIR puts the new one elsewhere.$' -- \
  bash -c "'$kullback' predict twice --quiet && '$kullback' predict twice"
cat >funnel.stan <<'STAN'
parameters { real<lower=0> tau; vector[9] x; }
model { tau ~ normal(0, 3); x ~ normal(0, tau); }
STAN
expect 'a finding of the ladder names the method' 3 'Add --method nuts' -- bash -c "'$kullback' fit funnel.stan --seed 1 --tolerance 0.02 --budget 6 --out funnel | tr '\n' ' ' | tr -s ' '; exit \${PIPESTATUS[0]}"
finish
