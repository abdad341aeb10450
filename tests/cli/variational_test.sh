#!/usr/bin/env bash
# kullback fit by variational methods: wrong options, programs that are odd, an interrupted run.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/logistic.{stan,json} .
echo '{"y": 1}' >y.json
echo 'data { real y; } model { target += normal_lpdf(y | 0, 1); }' >none.stan
echo 'data { real y; } parameters { real a; } model { a ~ normal(0, 1); y ~ normal(a, 1); }' >one.stan
echo 'data { real y; } parameters { real a; real b; } model { b ~ normal(0, 1); y ~ normal(a, 1); target += log(a); }' >half.stan
echo 'data { real y; } parameters { real a; real b; } model { y ~ normal(a, 1); }' >flat.stan
fit() { "$kullback" fit logistic.stan logistic.json --seed 1 --out out "$@"; local status=$?; rm -rf out; return $status; }
export -f fit; export kullback
refuse() { local name=$1 pattern=$2; shift 2; expect "$name" 64 "$pattern" -- bash -c 'fit "$@"' fit "$@"; }

refuse "no such family" "choices are meanfield" --method vi --family foo
refuse "no such objective" "choices are elbo" --method vi --objective foo
refuse "no such estimator" "choices are reparam" --method advi --estimator foo
refuse "no such optimiser" "choices are adam" --method iw --optimizer foo
refuse "a part that the method has chosen" "cannot be used with --method advi" --method advi --family fullrank
refuse "an alpha that is no number" "must be a finite number" --method renyi --alpha nan
refuse "an order of at most 1" "order is 0.5; it must be above 1" --method cubo --order 0.5
refuse "a bound of no draws" "importance-draws is 0; it must be 1 or more" --method iw --importance-draws 0
refuse "control variates of one draw" "Found --family meanfield .* --estimator score-loo" --method advi --estimator score-loo --grad-draws 1
refuse "fixed draws, full rank" "hint: --grad-draws 6 or more, or --family meanfield" --method fullrank --estimator fixed --grad-draws 2
refuse "forward KL, no inverse" "Found --family planar --objective forward-kl" --method vi --family planar --objective forward-kl
refuse "batch and match, no inverse" "Use --family fullrank" --method vi --family sylvester --objective fisher
refuse "evidence from weights of particles" "no ELBO, no k-hat, no evidence" --method svgd --objective iw
refuse "draws beyond all memory" "so many draws of 3 coordinates do not fit in memory" --method vi --grad-draws 100000000000
refuse "a rank above the dimension" "rank is 1000; a covariance of 3 coordinates" --method lowrank --rank 1000
refuse "no steps" "max-steps is 0; it must be 1 or more" --method advi --max-steps 0
refuse "no draws" "draws is 0; it must be 1 or more" --method flow --draws 0
refuse "no sweeps" "sweeps is 0; it must be 1 or more" --method ep --sweeps 0
refuse "a minibatch of more rows than there are" "the data have 30 rows" --method vi --family meanfield --optimizer svrg --batch-size 31
refuse "an option that no part reads" "rank cannot be used with --family meanfield" --method vi --family meanfield --rank 3
expect "rows of a program without" 65 "this program has none" -- "$kullback" fit one.stan y.json --method vi --family meanfield --optimizer saga --batch-size 2
expect "starting values that are not there" 66 "nothere.json: cannot be read" -- "$kullback" fit one.stan y.json --method advi --init nothere.json

for method in vi advi dadvi svgd flow cubo ep; do
  expect "$method: no parameters" 0 "Results: none-$method" -- "$kullback" fit none.stan y.json --method $method --seed 1 --out none-$method
  expect "$method: one parameter" 0 "^a +0\.[45]" -- "$kullback" fit one.stan y.json --method $method --seed 1 --out one-$method
done
expect "draws outside the support are told" 0 "draws of the approximation the log density is not finite" -- "$kullback" fit half.stan y.json --method vi --seed 1 --out half
expect "their ELBO has no error" 1 -- grep -q 'elbo standard error' half/run.json
expect "an improper posterior is told" 0 "^! The posterior looks improper: the log density does not fall along b" -- "$kullback" fit flat.stan y.json --method vi --seed 1 --out flat
expect "one draw has no k-hat" 0 "could not be estimated" -- "$kullback" fit one.stan y.json --method advi --draws 1 --seed 1 --out single
expect "nor an error of the ELBO" 1 -- grep -qi 'nan' single/run.json
finish
