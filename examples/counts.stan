// Counts, each with a rate of its own; the rates vary about a common level.
data {
  int<lower=0> N;
  array[N] int<lower=0> y;
}
parameters {
  real level;
  vector[N] log_rate;
}
model {
  level ~ normal(0, 1);
  log_rate ~ normal(level, 1);
  y ~ poisson_log(log_rate);
}
