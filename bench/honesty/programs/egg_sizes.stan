// Two normal components, identified by their order.
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real<lower=0, upper=1> share;
  ordered[2] mu;
  vector<lower=0>[2] sigma;
}
model {
  share ~ beta(3, 3);
  mu ~ normal(0, 3);
  sigma ~ lognormal(0, 0.5);
  for (n in 1 : N) {
    target += log_mix(share, normal_lpdf(y[n] | mu[1], sigma[1]), normal_lpdf(y[n] | mu[2], sigma[2]));
  }
}
