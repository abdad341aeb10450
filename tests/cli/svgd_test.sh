#!/usr/bin/env bash
# kullback fit --method svgd: what it prints, what it refuses.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/{eight_schools,logistic}.{stan,json} .

expect "a fit" 0 'kernelised Stein discrepancy was' -- "$kullback" fit logistic.stan logistic.json --method svgd --seed 1 --out a
expect "its draws are the particles" 0 '^100$' -- sh -c 'grep -vc "^#\|^lp__" a/chain-1.csv'
expect "mirrored, by coin betting" 0 'Stein discrepancy was' -- "$kullback" fit eight_schools.stan eight_schools.json --method svgd --svgd-variant mirrored --svgd-optimizer coin --svgd-kernel rbf --max-iterations 60 --seed 1 --out b
expect "it says what it is for" 0 'matrix-valued kernels' -- "$kullback" methods svgd
expect "no evidence from weights" 64 'no ELBO, no k-hat, no evidence' -- "$kullback" fit logistic.stan logistic.json --method svgd --elbo-draws 10
expect "draws are particles" 64 'svgd-particles says how many' -- "$kullback" fit logistic.stan logistic.json --method svgd --draws 10
expect "no such kernel" 64 'must be imq or rbf' -- "$kullback" fit logistic.stan logistic.json --method svgd --svgd-kernel gauss
expect "too few particles" 64 'it must be from 10 to 4000' -- "$kullback" fit logistic.stan logistic.json --method svgd --svgd-particles 3
finish
