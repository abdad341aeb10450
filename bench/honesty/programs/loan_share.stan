// Beta regression of shares.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector<lower=0, upper=1>[N] share;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> precision;
}
model {
  intercept ~ normal(0, 1.5);
  slope ~ normal(0, 1);
  precision ~ gamma(2, 0.1);
  share ~ beta_proportion(inv_logit(intercept + x * slope), precision);
}
