// A simplex and what it generates.
data {
  int<lower=1> N;
  array[4] int<lower=0> y;
}
parameters {
  simplex[4] p;
}
model {
  p ~ dirichlet([1.5, 2, 0.7, 3]');
  y ~ multinomial(p);
}
generated quantities {
  real log_lik = multinomial_lpmf(y | p);
}
