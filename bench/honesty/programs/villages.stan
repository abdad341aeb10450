// Groups with few data each, in the non-centred form.
data {
  int<lower=0> N, J;
  array[N] int<lower=1, upper=J> village;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] z;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 1);
  sigma ~ exponential(1);
  z ~ std_normal();
  vector[J] level = mu + tau * z;
  y ~ normal(level[village], sigma);
}
