// Binomial counts of wards around a common logit, non-centred.
data {
  int<lower=0> J;
  array[J] int<lower=0> patients, infected;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] z;
}
model {
  mu ~ normal(-2, 1);
  tau ~ normal(0, 1);
  z ~ std_normal();
  infected ~ binomial_logit(patients, mu + tau * z);
}
