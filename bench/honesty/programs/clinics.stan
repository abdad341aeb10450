// Groups with many data each, in the centred form that suits them.
data {
  int<lower=0> N, J;
  array[N] int<lower=1, upper=J> clinic;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] level;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 2);
  sigma ~ normal(0, 3);
  level ~ normal(mu, tau);
  y ~ normal(level[clinic], sigma);
}
