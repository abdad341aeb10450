// Regression on a covariate that was measured with error, twice.
data {
  int<lower=0> N;
  vector[N] x1, x2, y;
}
parameters {
  real intercept, slope;
  real<lower=0> sigma, error;
  real centre;
  real<lower=0> width;
  vector[N] x;
}
model {
  intercept ~ normal(0, 2);
  slope ~ normal(0, 1);
  sigma ~ normal(0, 1);
  error ~ normal(0, 1);
  centre ~ normal(0, 2);
  width ~ normal(0, 2);
  x ~ normal(centre, width);
  x1 ~ normal(x, error);
  x2 ~ normal(x, error);
  y ~ normal(intercept + slope * x, sigma);
}
