// Five hundred parameters: poverty shares of areas with a covariate.
data {
  int<lower=0> J;
  vector[J] income;
  array[J] int<lower=0> asked, poor;
}
parameters {
  real mu;
  real slope;
  real<lower=0> tau;
  vector[J] z;
}
model {
  mu ~ normal(-1, 1);
  slope ~ normal(0, 1);
  tau ~ normal(0, 1);
  z ~ std_normal();
  poor ~ binomial_logit(asked, mu + slope * income + tau * z);
}
