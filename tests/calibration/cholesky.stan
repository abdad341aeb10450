// A Cholesky factor of correlations, with scales.
data {
  int<lower=1> N;
  array[N] vector[3] y;
}
parameters {
  cholesky_factor_corr[3] L;
  vector<lower=0>[3] sigma;
}
model {
  L ~ lkj_corr_cholesky(2);
  sigma ~ lognormal(0, 0.5);
  y ~ multi_normal_cholesky(rep_vector(0, 3), diag_pre_multiply(sigma, L));
}
generated quantities {
  real log_lik = multi_normal_cholesky_lpdf(y | rep_vector(0, 3), diag_pre_multiply(sigma, L));
}
