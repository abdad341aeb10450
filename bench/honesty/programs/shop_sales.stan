// Negative binomial sales with two crossed groupings.
data {
  int<lower=0> N, S, W;
  array[N] int<lower=1, upper=S> shop;
  array[N] int<lower=1, upper=W> week;
  vector[N] price;
  array[N] int<lower=0> sold;
}
parameters {
  real mu;
  real slope;
  real<lower=0> shop_sd, week_sd;
  vector[S] shop_level;
  vector[W] week_effect;
  real<lower=0> phi;
}
model {
  mu ~ normal(2, 1);
  slope ~ normal(0, 1);
  shop_sd ~ lognormal(-0.7, 0.5);
  week_sd ~ lognormal(-1, 0.5);
  shop_level ~ normal(mu, shop_sd);
  week_effect ~ normal(0, week_sd);
  phi ~ gamma(2, 0.3);
  sold ~ neg_binomial_2_log(slope * price + shop_level[shop] + week_effect[week], phi);
}
