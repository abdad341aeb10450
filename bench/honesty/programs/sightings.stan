// Gaussian process behind binary outcomes, drawn by standard normals.
data {
  int<lower=0> N;
  array[N] real place;
  array[N] int<lower=0> visits, seen;
}
parameters {
  real base;
  real<lower=0> length, amplitude;
  vector[N] z;
}
model {
  base ~ normal(0, 1);
  length ~ inv_gamma(5, 8);
  amplitude ~ normal(0, 1);
  z ~ std_normal();
  matrix[N, N] K = add_diag(gp_exp_quad_cov(place, amplitude, length), 1e-6);
  seen ~ binomial_logit(visits, base + cholesky_decompose(K) * z);
}
