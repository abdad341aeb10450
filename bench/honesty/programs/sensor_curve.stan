// Gaussian process with the function integrated out.
data {
  int<lower=0> N;
  array[N] real t;
  vector[N] y;
}
parameters {
  real<lower=0> length, amplitude, noise;
}
model {
  length ~ inv_gamma(4, 6);
  amplitude ~ normal(0, 1.5);
  noise ~ normal(0, 0.7);
  matrix[N, N] K = gp_matern32_cov(t, amplitude, length);
  y ~ multi_normal(rep_vector(0, N), add_diag(K, square(noise)));
}
