#!/usr/bin/env bash
# --tolerance, the ladder of methods, kullback certify: verdicts, exit codes, wrong input.
examples=$PWD/examples
source "$(dirname "$0")/expect.sh"
cp "$examples"/{eight_schools,logistic,hierarchical}.{stan,json} .
same() { bash -c "diff <(grep -v '^#' $1/chain-1.csv) <(grep -v '^#' $2/chain-1.csv)"; }

cat >funnel.stan <<'STAN'
parameters { real v; vector[5] x; }
model { v ~ normal(0, 3); x ~ normal(0, exp(v / 2)); }
STAN

expect 'a good approximation' 0 'Tolerance 0.1: met' -- "$kullback" fit logistic.stan logistic.json --method laplace --tolerance 0.1 --seed 1 --out laplace
expect 'its certificate' 0 '"verdict": "met"' -- cat laplace/certificate.json
expect 'what it does not prove' 0 'does not prove' -- "$kullback" fit logistic.stan logistic.json --method laplace --tolerance 0.1 --seed 1 --out laplace --force
expect 'an approximation that is not enough' 3 'Tolerance 0.01: (not met|cannot tell)' -- "$kullback" fit eight_schools.stan eight_schools.json --method laplace --tolerance 0.01 --seed 1 --out poor
expect 'without a tolerance no code 3' 0 'Results: poor' -- "$kullback" fit eight_schools.stan eight_schools.json --method laplace --seed 1 --out poor --force
expect 'chains' 0 'Tolerance 0.2: met \(chains' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --tolerance 0.2 --seed 1 --out chains
expect 'chains that are too short' 3 'too short' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --tolerance 0.01 --draws 200 --seed 1 --out short
expect 'no log q, no certificate' 64 'without log q' -- "$kullback" fit logistic.stan logistic.json --method svgd --tolerance 0.1
expect 'a tolerance of 0' 64 'must be above 0' -- "$kullback" fit logistic.stan logistic.json --tolerance 0
expect 'a negative tolerance' 64 'must be above 0' -- "$kullback" fit logistic.stan logistic.json --tolerance=-0.1

expect 'the ladder is the default' 0 'laplace: met' -- "$kullback" fit logistic.stan logistic.json --seed 1 --out ladder
expect 'rungs in the record' 0 '"rungs": \[' -- cat ladder/run.json
expect 'options of a method' 64 'hint: Add --method nuts' -- "$kullback" fit logistic.stan logistic.json --warmup 100
expect 'a budget for one method' 64 'cannot be used with --method nuts' -- "$kullback" fit logistic.stan logistic.json --method nuts --budget 3
expect 'a budget of nothing' 64 'budget is 0; it must be above 0' -- "$kullback" fit logistic.stan logistic.json --budget 0
expect 'a budget too short for one rung' 64 'ended before any method had draws' -- "$kullback" fit hierarchical.stan hierarchical.json --budget 0.000001 --out hasty
expect 'nothing is left of it' 1 -- test -e hasty
expect 'the funnel goes on to NUTS' 0 'nuts: ' -- "$kullback" fit funnel.stan --seed 1 --out funnel
expect 'a funnel is not certified lightly' 3 -- "$kullback" fit funnel.stan --method fullrank --tolerance 0.1 --seed 1 --out gaussian
expect 'threads change nothing' 0 '^$' -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --seed 3 --threads 1 --quiet --out one &&
  '$kullback' fit eight_schools.stan eight_schools.json --seed 3 --threads 3 --quiet --out three && diff <(grep -v '^#' one/chain-1.csv) <(grep -v '^#' three/chain-1.csv) &&
  diff <(grep -v seconds one/certificate.json) <(grep -v seconds three/certificate.json)"
export ASAN_OPTIONS=detect_leaks=0  # OpenMPI leaks
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
expect 'nor do ranks' 0 '^$' -- bash -c "'$kullback' fit funnel.stan --seed 1 --quiet --out alone;
  mpirun --oversubscribe -n 2 '$kullback' fit funnel.stan --seed 1 --quiet --out ranks; diff <(grep -v '^#' alone/chain-2.csv) <(grep -v '^#' ranks/chain-2.csv)"

expect 'certify a fit' 0 'Tolerance 0.3: met' -- "$kullback" certify laplace --tolerance 0.3
expect 'certify Pathfinder' 0 'Tolerance 0.3: met' -- bash -c "'$kullback' fit logistic.stan logistic.json --method pathfinder --resample 0 --draws 4000 --seed 1 --quiet --out paths && '$kullback' certify paths --tolerance 0.3"
expect 'certify chains' 0 'met \(chains' -- "$kullback" certify chains --tolerance 0.2
expect 'certify draws of another program' 0 'Tolerance 0.3: met' -- "$kullback" certify laplace/weighted.csv logistic.stan logistic.json --tolerance 0.3
expect 'draws that were resampled' 65 'hint: Give the draws as they came: laplace/weighted.csv' -- "$kullback" certify laplace/chain-1.csv logistic.stan logistic.json
expect 'a file without a program' 64 'need their program' -- "$kullback" certify laplace/chain-1.csv
expect 'draws of another model' 65 "has no column 'mu'" -- "$kullback" certify laplace/weighted.csv eight_schools.stan eight_schools.json
expect 'certify nothing' 66 'no such file' -- "$kullback" certify nowhere
expect 'certify with tolerance 0' 64 'above 0' -- "$kullback" certify laplace --tolerance 0
expect 'draws without log q' 65 'no log q' -- bash -c "'$kullback' fit logistic.stan logistic.json --method svgd --seed 1 --quiet --out particles; '$kullback' certify particles"

expect 'distances' 0 'Wasserstein distances of the raw' -- "$kullback" fit logistic.stan logistic.json --method laplace --tolerance 0.1 --wasserstein --seed 1 --out far
expect 'distances in the file' 0 '"has_converged": true, "joint_w2": 0' -- cat far/certificate.json
expect 'distances of the ladder' 0 'Wasserstein distances of the raw' -- "$kullback" fit logistic.stan logistic.json --wasserstein --seed 1 --out far --force
expect 'a fit with distances is diagnosed' 0 -- "$kullback" diagnose far
expect 'and goes on' 0 -- "$kullback" fit --resume far --quiet
expect 'to distances again' 0 '"has_converged": true' -- cat far/certificate.json
expect 'distances of an earlier fit' 0 'Wasserstein distances of the raw' -- "$kullback" certify laplace --tolerance 0.3 --wasserstein
expect 'distances of a flow' 0 'No bound on Wasserstein' -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --method flow --tolerance 0.3 --wasserstein --seed 1 --out bent || true"
expect 'distances of chains' 64 'nuts has none' -- "$kullback" fit logistic.stan logistic.json --method nuts --tolerance 0.1 --wasserstein
expect 'distances of earlier chains' 64 'these draws are chains' -- "$kullback" certify chains --wasserstein
expect 'distances without a certificate' 64 'Add --tolerance' -- "$kullback" fit logistic.stan logistic.json --method laplace --wasserstein
expect 'a record is no draws' 64 'give its folder' -- "$kullback" certify laplace/summary.json logistic.stan logistic.json
expect 'certify nothing, with a hint' 66 'kullback fit has made' -- "$kullback" certify nowhere
finish
