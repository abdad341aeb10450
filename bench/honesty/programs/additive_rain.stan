// Poisson rates with two smooth terms, each by weighted columns.
data {
  int<lower=0> N, K;
  matrix[N, K] basis1, basis2;
  array[N] int<lower=0> days;
}
parameters {
  real base;
  vector[K] z1, z2;
  real<lower=0> scale1, scale2;
}
model {
  base ~ normal(1, 1);
  z1 ~ std_normal();
  z2 ~ std_normal();
  scale1 ~ normal(0, 1);
  scale2 ~ normal(0, 1);
  days ~ poisson_log(base + basis1 * (scale1 * z1) + basis2 * (scale2 * z2));
}
