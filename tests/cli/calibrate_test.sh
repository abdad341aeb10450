#!/usr/bin/env bash
# kullback calibrate: what it prints, writes and refuses.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/eight_schools.{stan,json} .
cat >mean.stan <<'STAN'
data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 2); y ~ normal(mu, 1); }
STAN
echo '{"N": 3, "y": [0, 0, 0]}' >mean.json
cat >flat.stan <<'STAN'
data { int N; vector[N] y; }
parameters { real mu; }
model { y ~ normal(mu, 1); }
STAN

expect "an exact method" 0 'No miscalibration of laplace found' -- "$kullback" calibrate mean.stan mean.json --method laplace --simulations 100 --seed 1
expect "its file" 0 '"verdict": "ok"' -- cat mean-calibration/calibration.json
expect "its record" 0 '"kind": "calibration"' -- cat mean-calibration/run.json
expect "no second one in its place" 73 'holds a fit already' -- "$kullback" calibrate mean.stan mean.json --method laplace --simulations 100 --seed 1
expect "unless it is forced; options of methods" 0 '^mu ' -- "$kullback" calibrate mean.stan mean.json --method laplace --draws 50 --simulations 20 --seed 1 --threads 1 --force
expect "quiet" 0 '^$' -- "$kullback" calibrate mean.stan mean.json --method laplace --simulations 20 --seed 1 --force --quiet
expect "mean field of a hierarchy" 0 'z\[1\] ' -- "$kullback" calibrate eight_schools.stan eight_schools.json --simulations 10 --max-steps 200 --seed 1
expect "a calibration holds no draws" 65 "holds a calibration; draws are needed" -- "$kullback" summary mean-calibration
# Ranks of sigma look right; but where the truth is in the posterior's tail it is far beyond the Gaussian's draws.
cat >line.stan <<'STAN'
data { int N; vector[N] x; vector[N] y; }
parameters { real a; real b; real<lower=0> sigma; }
model { a ~ normal(0, 2); b ~ normal(0, 1); sigma ~ lognormal(0, 0.5); y ~ normal(a + b * x, sigma); }
STAN
echo '{"N": 10, "x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "y": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}' >line.json
expect "a spread that is not 1" 0 '^sigma .* 1\.4.* too narrow' -- "$kullback" calibrate line.stan line.json --method fullrank --seed 1
expect "and one that is, as the draws have the tail" 0 '^sigma .* 1\.2.* ok' -- "$kullback" calibrate line.stan line.json --method nuts --draws 500 --thin 5 --seed 1 --force
expect "a flat prior" 65 'flat.stan:2:' -- "$kullback" calibrate flat.stan mean.json --simulations 20
expect "no folder is left" 1 -- test -e flat-calibration
expect "no such method" 64 "Did you mean 'laplace'" -- "$kullback" calibrate mean.stan mean.json --method laplac
expect "an option of other methods" 64 'cannot be used with --method laplace' -- "$kullback" calibrate mean.stan mean.json --method laplace --warmup 3
expect "one method at a time" 64 'one is calibrated at a time' -- "$kullback" calibrate mean.stan mean.json --method auto
expect "a point is no distribution" 64 'one point' -- "$kullback" calibrate mean.stan mean.json --method optimize
expect "too few simulations" 64 'simulations' -- "$kullback" calibrate mean.stan mean.json --simulations 3
expect "no file" 66 'none.stan' -- "$kullback" calibrate none.stan
(timeout --foreground -s INT 2 "$kullback" calibrate mean.stan mean.json --method laplace --simulations 1000000 --seed 1 --out stopped >stopped.txt; echo $? >code)
expect "Ctrl-C" 0 'Interrupted: the figures are about the simulations that were finished' -- cat stopped.txt
expect "and its record" 0 '"status": "stopped"' -- cat stopped/run.json
finish
