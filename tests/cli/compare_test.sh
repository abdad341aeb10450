#!/usr/bin/env bash
# kullback compare: predictions and --distance, wrong usage.
examples=$PWD/examples
source "$(dirname "$0")/expect.sh"
cp "$examples"/eight_schools.{stan,json} "$examples"/two_modes.stan .
fit() { "$kullback" fit "$@" --quiet; }

fit eight_schools.stan eight_schools.json --method nuts --seed 1 --out one
fit eight_schools.stan eight_schools.json --method nuts --seed 2 --out two
fit eight_schools.stan eight_schools.json --method advi --seed 1 --out field
fit two_modes.stan --method nuts --seed 1 --out modes
fit two_modes.stan --method laplace --seed 1 --out mode
fit two_modes.stan --method nuts --draws 6 --warmup 50 --chains 1 --seed 1 --out brief

expect 'predictions as JSON' 0 '^8$' -- bash -c "'$kullback' compare one two --json | python3 -c '
import json, sys
print(len(json.load(sys.stdin)[0][\"pointwise\"]))'"
expect 'predictions' 0 '^one +-30' -- "$kullback" compare one two
expect 'two fits of one posterior' 0 'No difference found \(p ' -- "$kullback" compare one two --distance
also 'who is who' '^B two: eight_schools.stan: nuts, 4 chains x 1000 draws, seed 2$'
also 'all together' '^sliced Wasserstein +0\.'
also 'how to read it' 'distance \+- noise is a 95 % interval'
expect 'lines fit in 80 columns' 0 '^$' -- bash -c "'$kullback' compare one two --distance | awk 'length > 80'"
expect 'mean field is not the posterior' 0 'The posteriors differ \(p <?[0-9.e-]+\), mostly in ' -- "$kullback" compare one field --distance
expect 'a missing mode' 0 'mostly in x' -- "$kullback" compare modes mode --distance
also 'one parameter has no joint tests' 'There is one parameter'
expect 'the first against each' 0 '^B field: ' -- "$kullback" compare one two field --distance
also 'the second too' '^B two: '
expect 'one fit against itself' 0 'the same draws' -- "$kullback" compare one one --distance
expect 'ten rows' 0 '^10$' -- bash -c "'$kullback' compare one two --distance | grep -cE '^(mu|tau|z)'"
expect 'JSON' 0 '^read$' -- bash -c "'$kullback' compare one two field --distance --json | python3 -c '
import json, sys
same, apart = json.load(sys.stdin)
assert same[\"first\"] == \"one\" and same[\"verdict\"] == \"no difference found\", same
assert apart[\"verdict\"] == \"differ\" and apart[\"p_value\"] < 0.01
assert len(apart[\"parameters\"]) == 10 and apart[\"parameters\"][0][\"differs\"]
assert apart[\"joint\"][\"gaussian_kl\"][\"value\"] > apart[\"joint\"][\"gaussian_kl\"][\"noise\"]
print(\"read\")'"

sed 's/28/29/' eight_schools.json >other.json
fit eight_schools.stan other.json --method nuts --seed 1 --out other
expect 'other data' 0 'They are fits to different data' -- "$kullback" compare one other --distance

expect 'one folder' 64 'a distance is between two fits' -- "$kullback" compare one --distance
expect 'rows of what' 64 'hint: Add --distance' -- "$kullback" compare one two --all
expect 'two ways to say all' 64 'prints all rows in any case' -- "$kullback" compare one two --distance --all --json
expect 'log_lik of distances' 64 '--log-lik is for predictions' -- "$kullback" compare one two --distance --log-lik y
expect 'nothing in common' 65 'one and modes have no parameter in common: the first has mu, tau and z, the second x' -- "$kullback" compare one modes --distance
expect 'too few draws' 65 'brief: has 6 draws; a distance needs at least 20' -- "$kullback" compare modes brief --distance
expect 'no such folder' 66 'none: there is no such folder' -- "$kullback" compare one none --distance

finish
