// A logistic curve with multiplicative noise.
data {
  int<lower=0> N;
  vector[N] day;
  vector<lower=0>[N] volume;
}
parameters {
  real<lower=0> limit, rate;
  real midpoint;
  real<lower=0> sigma;
}
model {
  limit ~ lognormal(2, 0.5);
  rate ~ lognormal(-1, 0.5);
  midpoint ~ normal(10, 5);
  sigma ~ normal(0, 0.5);
  volume ~ lognormal(log(limit) + log_inv_logit(rate * (day - midpoint)), sigma);
}
