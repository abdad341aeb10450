// Bradley-Terry with an advantage of the first move.
data {
  int<lower=0> N, P;
  array[N] int<lower=1, upper=P> white, black;
  array[N] int<lower=0, upper=1> white_won;
}
parameters {
  vector[P] strength;
  real<lower=0> spread;
  real advantage;
}
model {
  strength ~ normal(0, spread);
  spread ~ lognormal(0, 0.4);
  advantage ~ normal(0, 0.5);
  white_won ~ bernoulli_logit(advantage + strength[white] - strength[black]);
}
