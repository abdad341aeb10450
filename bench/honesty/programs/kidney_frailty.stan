// Exponential survival with a gamma frailty for each patient, censored.
data {
  int<lower=0> N, J;
  array[N] int<lower=1, upper=J> patient;
  vector<lower=0>[N] time;
  vector<lower=0, upper=1>[N] seen;
  vector[N] age;
}
parameters {
  real log_rate, age_effect;
  real<lower=0> concentration;
  vector<lower=0>[J] frailty;
}
model {
  log_rate ~ normal(0, 1);
  age_effect ~ normal(0, 0.5);
  concentration ~ gamma(3, 0.7);
  frailty ~ gamma(concentration, concentration);
  vector[N] log_hazard = log_rate + age_effect * age + log(frailty[patient]);
  target += dot_product(seen, log_hazard) - dot_product(time, exp(log_hazard));
}
