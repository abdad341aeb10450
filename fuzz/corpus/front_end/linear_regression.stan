data {
  int<lower=0> N;
  vector[N] x, y;
}
parameters {
  real alpha, beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 1); // intercept
  beta ~ normal(0, 1);
  sigma ~ exponential(1);
  y ~ normal(alpha + beta * x, sigma);
}
generated quantities {
  array[N] real y_rep = normal_rng(alpha + beta * x, sigma);
}
