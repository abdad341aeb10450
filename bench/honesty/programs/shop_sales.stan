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
  vector[S] shop_z;
  vector[W] week_z;
  real<lower=0> phi;
}
model {
  mu ~ normal(2, 1);
  slope ~ normal(0, 1);
  shop_sd ~ normal(0, 0.7);
  week_sd ~ normal(0, 0.7);
  shop_z ~ std_normal();
  week_z ~ std_normal();
  phi ~ gamma(2, 0.3);
  sold ~ neg_binomial_2_log(mu + slope * price + (shop_sd * shop_z)[shop] + (week_sd * week_z)[week], phi);
}
