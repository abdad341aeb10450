// A polynomial through noisy points, with predictions of new points on a grid.
data {
  int<lower=0> N;
  vector[N] x;
  vector[N] y;
  int<lower=0> degree;
  int<lower=0> grid_size;
  vector[grid_size] grid;
}
transformed data {
  matrix[N, degree + 1] powers;
  matrix[grid_size, degree + 1] grid_powers;
  for (p in 0:degree) {
    powers[, p + 1] = x .^ p;
    grid_powers[, p + 1] = grid .^ p;
  }
}
parameters {
  vector[degree + 1] beta;
  real<lower=0> sigma;
}
model {
  beta ~ normal(0, 2);
  sigma ~ exponential(1);
  y ~ normal(powers * beta, sigma);
}
generated quantities {
  vector[grid_size] curve = grid_powers * beta;
  array[grid_size] real predicted = normal_rng(curve, sigma);
}
