// Both ways compute what only one of them uses.
data {
  real y;
}
parameters {
  real mu;
  real<lower=0> s;
}
model {
  real near = square(mu - 1);
  real far = exp(mu) / s;
  if (mu < s) {
    y ~ normal(mu * s + near, s);
  } else {
    y ~ normal(far, 2 * s);
  }
}
