#!/usr/bin/env bash
# What fit says against its own answer: lints, improper posteriors, heavy tails, the quantity that was judged.
source "$(dirname "$0")/expect.sh"

cat >support.stan <<'STAN'
parameters { real a; real b; }
model { a ~ gamma(2, 1); b ~ normal(0, 1); }
STAN
expect 'a lint of the program is a finding' 0 'A variate of gamma must be' -- "$kullback" fit support.stan --method nuts --seed 1 --chains 2 --draws 100 --warmup 200 --out support
also 'its place' 'support.stan:2:9'
expect 'in the record' 0 '"code": "out-of-support"' -- cat support/run.json
expect 'diagnose has it from there' 0 'A variate of gamma' -- "$kullback" diagnose support

# An intercept without a prior in a mixture: where it is far out, the other component has all the data.
cat >mixture.stan <<'STAN'
data { int N; vector[N] y; }
parameters { real b; real m; real<lower=0> s; simplex[2] theta; }
model {
  m ~ normal(3, 1);
  s ~ lognormal(0, 0.5);
  for (n in 1:N)
    target += log_sum_exp(log(theta[1]) + normal_lpdf(y[n] | b, s), log(theta[2]) + normal_lpdf(y[n] | m, s));
}
STAN
echo '{"N": 8, "y": [-2.1, -1.7, -2.4, -1.9, 3.1, 2.8, 3.3, 2.6]}' >mixture.json
expect 'an improper posterior is not certified' 3 'Tolerance 0.3: cannot tell' -- "$kullback" fit mixture.stan mixture.json --method nuts --tolerance 0.3 --init 0 --seed 1 --out improper
also 'and called so' 'The posterior is improper: far out along b '
also 'the lint beside it' "Parameter 'b' has no prior"
expect 'in the certificate' 0 '"without_prior": \[' -- cat improper/certificate.json

cat >flat.stan <<'STAN'
data { int N; vector[N] y; }
parameters { real b; real<lower=0> s; }
model { s ~ lognormal(0, 1); y ~ normal(b, s); }
STAN
expect 'a proper posterior of a flat prior' 0 'met \(.*if the posterior is proper' -- "$kullback" fit flat.stan mixture.json --method nuts --tolerance 0.3 --seed 1 --out flat
expect 'is not called improper' 1 -- grep -q improper-posterior flat/run.json
expect 'nor by certify without a word' 0 'if the posterior is proper' -- "$kullback" certify flat --tolerance 0.3
expect 'an optimum needs no prior' 1 -- bash -c "'$kullback' optimize flat.stan mixture.json --seed 1 --out best && grep -q no-prior best/run.json"

# Along each coordinate the density falls; along two combinations it does not.
cat >sum.stan <<'STAN'
data { int N; vector[N] y; }
parameters { real a; vector[2] b; real<lower=0> s; }
model { s ~ lognormal(0, 1); y ~ normal(a + b[1] - 2 * b[2], s); }
STAN
expect 'improper along a combination' 3 'The posterior is improper: far out along a combination of a, b its' -- \
  "$kullback" fit sum.stan mixture.json --method nuts --tolerance 0.3 --warmup 200 --draws 100 --seed 1 --out sum
cat >difference.stan <<'STAN'
data { int N; vector[N] y; }
parameters { real a; vector[2] b; real<lower=0> s; }
model { s ~ lognormal(0, 1); y ~ normal(a + b[1] - 2 * b[2], s); y[1:3] ~ normal(a - b[1], 1); y[2:5] ~ normal(b[2], 1); }
STAN
expect 'a sum that the data take apart' 0 'Results: difference' -- "$kullback" fit difference.stan mixture.json --method nuts --seed 1 --out difference
expect 'is not called improper' 1 -- grep -q improper-posterior difference/run.json

# Powers of a correlation have tails like a Cauchy's as far as draws show, and are at most 1.
cat >powers.stan <<'STAN'
parameters { real<lower=-1, upper=1> phi; real x; real u; real z; real<lower=0> v; }
transformed parameters {
  vector[100] power;
  for (k in 1:100) power[k] = phi^k;
}
model { phi ~ normal(0.6, 0.1); x ~ cauchy(0, 1); u ~ normal(0, 1); z ~ normal(0, 1); v ~ normal(0, 1); }
generated quantities { real ratio = z / u; real other = z / v; real inverse = 1 / u^2; real angle = tan(pi() / 2 * erf(z / sqrt2())); }
STAN
expect 'heavy tails' 0 'so heavy a tail' -- "$kullback" fit powers.stan --method nuts --seed 1 --draws 1000 --out powers
also 'of a Cauchy, ratios of normals, an inverse square and a tangent' '5 quantities have so heavy a tail'
expect 'not of bounded quantities' 1 -- grep -q 'power[[,]' powers/run.json

# Student t with 3 degrees of freedom: a variance, but no fourth moment.
echo 'parameters { vector[4] x; } model { x ~ student_t(3, 0, 1); }' >student.stan
expect 'which quantity was judged' 0 'Judged by median and interquartile range' -- "$kullback" fit student.stan --method nuts --tolerance 0.15 --draws 4000 --seed 1 --out student

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
expect 'ranks find the same' 0 '^$' -- bash -c "export ASAN_OPTIONS=detect_leaks=0; mpirun --oversubscribe -n 2 '$kullback' fit powers.stan --method nuts --seed 1 --draws 1000 --quiet --out ranks &&
  diff <(grep -A3 heavy-tails powers/run.json) <(grep -A3 heavy-tails ranks/run.json)"
finish
