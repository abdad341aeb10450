// Penalised spline: coefficients of a basis walk at random.
data {
  int<lower=0> N, K;
  matrix[N, K] basis;
  vector[N] y;
}
parameters {
  real first;
  vector[K - 1] step;
  real<lower=0> roughness, sigma;
}
model {
  first ~ normal(0, 3);
  step ~ std_normal();
  roughness ~ normal(0, 1);
  sigma ~ exponential(1);
  vector[K] coefficient = append_row(first, first + roughness * cumulative_sum(step));
  y ~ normal(basis * coefficient, sigma);
}
