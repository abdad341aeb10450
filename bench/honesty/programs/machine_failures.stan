// Weibull regression with right censoring.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector<lower=0>[N] time;
  array[N] int<lower=0, upper=1> failed;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> shape;
}
model {
  intercept ~ normal(1, 2);
  slope ~ normal(0, 1);
  shape ~ lognormal(0, 0.5);
  vector[N] scale = exp(intercept + x * slope);
  for (n in 1 : N) {
    if (failed[n]) {
      time[n] ~ weibull(shape, scale[n]);
    } else {
      target += weibull_lccdf(time[n] | shape, scale[n]);
    }
  }
}
