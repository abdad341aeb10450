// trials_meta.stan with the effects integrated out of the joint and drawn after: no funnel.
data {
  int<lower=0> J;
  vector[J] estimate;
  vector<lower=0>[J] error;
}
parameters {
  real mu;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 1);
  tau ~ normal(0, 0.5);
  estimate ~ normal(mu, hypot(tau, error));
}
generated quantities {
  vector[J] effect;
  for (j in 1 : J) {
    real weight = square(tau) / (square(tau) + square(error[j]));
    effect[j] = normal_rng(mu + weight * (estimate[j] - mu), error[j] * sqrt(weight));
  }
}
