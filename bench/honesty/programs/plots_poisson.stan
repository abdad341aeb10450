// Overdispersed counts: one effect for each observation.
data {
  int<lower=0> N;
  vector[N] moisture;
  array[N] int<lower=0> seedlings;
}
parameters {
  real base, slope;
  real<lower=0> spread;
  vector[N] z;
}
model {
  base ~ normal(1, 1);
  slope ~ normal(0, 1);
  spread ~ normal(0, 1);
  z ~ std_normal();
  seedlings ~ poisson_log(base + slope * moisture + spread * z);
}
