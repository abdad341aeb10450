// Random walk with noise: a state for each time.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  vector[T] level;
  real<lower=0> drift_sd, sigma;
}
model {
  drift_sd ~ lognormal(-1.2, 0.4);
  sigma ~ lognormal(-0.5, 0.4);
  level[1] ~ normal(0, 3);
  level[2 : T] ~ normal(level[1 : T - 1], drift_sd);
  y ~ normal(level, sigma);
}
