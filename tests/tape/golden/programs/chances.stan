// Densities of what is known to lie between 0 and 1.
data {
  int N;
  array[N] int<lower=0, upper=1> y;
  array[N] int<lower=0> k;
}
parameters {
  real<lower=0, upper=1> p;
  real x;
}
model {
  p ~ uniform(0, 1);
  x ~ normal(0, 2);
  y ~ bernoulli(p);
  k ~ binomial(9, inv_logit(x));
}
