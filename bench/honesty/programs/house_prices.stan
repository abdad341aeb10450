// Linear regression with correlated columns.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] log_price;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> sigma;
}
model {
  intercept ~ normal(12, 2);
  slope ~ normal(0, 1);
  sigma ~ exponential(2);
  log_price ~ normal_id_glm(x, intercept, slope, sigma);
}
