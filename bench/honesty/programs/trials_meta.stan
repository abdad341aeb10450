// Meta-analysis of log odds ratios with known errors, centred: little information, hence a funnel.
data {
  int<lower=0> J;
  vector[J] estimate;
  vector<lower=0>[J] error;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] effect;
}
model {
  mu ~ normal(0, 1);
  tau ~ normal(0, 0.5);
  effect ~ normal(mu, tau);
  estimate ~ normal(effect, error);
}
