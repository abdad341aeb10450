// Negative binomial regression.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  array[N] int<lower=0> caught;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> phi;
}
model {
  intercept ~ normal(1, 1);
  slope ~ normal(0, 0.7);
  phi ~ gamma(2, 0.5);
  caught ~ neg_binomial_2_log_glm(x, intercept, slope, phi);
}
