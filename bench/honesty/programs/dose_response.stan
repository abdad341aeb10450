// Probit dose response with few animals: skewed.
data {
  int<lower=0> N;
  vector[N] log_dose;
  array[N] int<lower=0> animals, died;
}
parameters {
  real location;
  real<lower=0> steepness;
  real<lower=0, upper=1> background;
}
model {
  location ~ normal(0, 1);
  steepness ~ lognormal(0.5, 0.7);
  background ~ beta(1, 9);
  vector[N] p = background + (1 - background) * Phi_approx(steepness * (log_dose - location));
  died ~ binomial(animals, p);
}
