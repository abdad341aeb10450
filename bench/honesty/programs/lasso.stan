// Linear regression with double exponential shrinkage of unknown scale.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> spread;
  real<lower=0> sigma;
}
model {
  intercept ~ normal(0, 2);
  slope ~ double_exponential(0, spread);
  spread ~ lognormal(-1, 0.5);
  sigma ~ exponential(1);
  y ~ normal_id_glm(x, intercept, slope, sigma);
}
