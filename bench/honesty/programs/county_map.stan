// Poisson counts on a grid with a proper conditional autoregression.
data {
  int<lower=0> J, E;
  array[E] int<lower=1, upper=J> one, other;
  vector[J] degree;
  vector[J] eigenvalue;  // of the scaled adjacency D^-1/2 W D^-1/2
  vector<lower=0>[J] expected;
  array[J] int<lower=0> cases;
}
transformed data {
  vector[J] log_expected = log(expected);
}
parameters {
  real base;
  real<lower=0> tau;
  real<lower=0, upper=1> alpha;
  vector[J] phi;
}
model {
  base ~ normal(0, 1);
  tau ~ gamma(6, 2);
  alpha ~ beta(4, 1.5);
  target += 0.5 * (J * log(tau) + sum(log1m(alpha * eigenvalue))
                   - tau * (dot_product(degree, square(phi)) - 2 * alpha * dot_product(phi[one], phi[other])));
  cases ~ poisson_log(log_expected + base + phi);
}
