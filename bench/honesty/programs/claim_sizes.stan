// Gamma regression with a log link.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector<lower=0>[N] claim;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> shape;
}
model {
  intercept ~ normal(0, 2);
  slope ~ normal(0, 0.5);
  shape ~ exponential(0.5);
  claim ~ gamma(shape, shape * exp(-intercept - x * slope));
}
