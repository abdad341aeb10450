// Clicks among impressions: one parameter.
data {
  int<lower=0> shown;
  int<lower=0, upper=shown> clicked;
}
parameters {
  real<lower=0, upper=1> rate;
}
model {
  rate ~ beta(2, 20);
  clicked ~ binomial(shown, rate);
}
