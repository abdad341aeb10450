// One compartment with absorption, in closed form, with a clearance for each subject.
data {
  int<lower=0> N, J;
  array[N] int<lower=1, upper=J> subject;
  vector<lower=0>[N] hour;
  vector<lower=0>[N] level;
  real<lower=0> dose;
}
parameters {
  real log_clearance, log_volume, log_gap;
  real<lower=0> spread, sigma;
  vector[J] log_clearances;
}
model {
  log_clearance ~ normal(1, 0.5);
  log_volume ~ normal(3, 0.5);
  log_gap ~ normal(0, 0.5);
  spread ~ lognormal(-1, 0.5);
  sigma ~ normal(0, 0.5);
  log_clearances ~ normal(log_clearance, spread);
  vector[J] ke = exp(log_clearances - log_volume);
  vector[N] k = ke[subject];
  vector[N] ka = k + exp(log_gap);  // absorption is the faster of the two
  vector[N] mean_level = dose * exp(-log_volume) * ka .* (exp(-k .* hour) - exp(-ka .* hour)) ./ (ka - k);
  level ~ lognormal(log(mean_level), sigma);
}
