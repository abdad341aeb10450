// Penalised spline: coefficients of a basis walk at random.
data {
  int<lower=0> N, K;
  matrix[N, K] basis;
  vector[N] y;
}
parameters {
  vector[K] coefficient;
  real<lower=0> roughness, sigma;
}
model {
  coefficient[1] ~ normal(0, 3);
  coefficient[2 : K] ~ normal(coefficient[1 : K - 1], roughness);
  roughness ~ lognormal(-1, 0.5);
  sigma ~ exponential(1);
  y ~ normal(basis * coefficient, sigma);
}
