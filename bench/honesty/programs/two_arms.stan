// A trial of two arms with a binary outcome, on the logit scale.
data {
  array[2] int<lower=0> treated;
  array[2] int<lower=0> recovered;
}
parameters {
  real control;
  real effect;
}
model {
  control ~ normal(0, 1.5);
  effect ~ normal(0, 1);
  recovered[1] ~ binomial_logit(treated[1], control);
  recovered[2] ~ binomial_logit(treated[2], control + effect);
}
