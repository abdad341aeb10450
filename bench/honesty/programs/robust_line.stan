// Regression with Student t noise whose degrees of freedom are estimated.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real intercept;
  vector[K] slope;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  intercept ~ normal(0, 3);
  slope ~ normal(0, 2);
  sigma ~ lognormal(0, 0.5);
  nu ~ gamma(2, 0.2);
  y ~ student_t(nu, intercept + x * slope, sigma);
}
