// Means, scales and correlations of four series.
data {
  int<lower=0> N;
  array[N] vector[4] y;
}
parameters {
  vector[4] mu;
  vector<lower=0>[4] scale;
  cholesky_factor_corr[4] L;
}
model {
  mu ~ normal(0, 1);
  scale ~ lognormal(0, 0.5);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(scale, L));
}
