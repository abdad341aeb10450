// Cut points of an ordered logistic regression.
data {
  int<lower=1> N;
  vector[N] x;
  array[N] int<lower=1, upper=4> y;
}
parameters {
  ordered[3] c;
  real b;
}
model {
  c ~ normal(0, 2);
  b ~ normal(0, 1);
  y ~ ordered_logistic(b * x, c);
}
generated quantities {
  real log_lik = ordered_logistic_lpmf(y | b * x, c);
}
