// Varying intercepts and slopes with a correlation.
data {
  int<lower=0> N, J;
  array[N] int<lower=1, upper=J> child;
  vector[N] age, height;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] L;
  matrix[2, J] z;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 3);
  tau ~ normal(0, 1.5);
  L ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  sigma ~ normal(0, 1);
  matrix[2, J] b = diag_pre_multiply(tau, L) * z;
  height ~ normal(mu[1] + b[1, child]' + (mu[2] + b[2, child]') .* age, sigma);
}
