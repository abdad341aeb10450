// Poisson regression with an exposure.
data {
  int<lower=0> N, K;
  matrix[N, K] weather;
  vector<lower=0>[N] hours;
  array[N] int<lower=0> passed;
}
transformed data {
  vector[N] log_hours = log(hours);
}
parameters {
  real base;
  vector[K] effect;
}
model {
  base ~ normal(1, 1);
  effect ~ normal(0, 0.5);
  passed ~ poisson_log_glm(weather, base + log_hours, effect);
}
