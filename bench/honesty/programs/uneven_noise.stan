// Regression of mean and log standard deviation.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real intercept;
  vector[K] slope;
  real log_sd;
  vector[K] log_sd_slope;
}
model {
  intercept ~ normal(0, 3);
  slope ~ normal(0, 2);
  log_sd ~ normal(0, 1);
  log_sd_slope ~ normal(0, 0.5);
  y ~ normal(intercept + x * slope, exp(log_sd + x * log_sd_slope));
}
