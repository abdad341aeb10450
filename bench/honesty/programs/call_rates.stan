// Three Poisson components in order, with a simplex of shares.
data {
  int<lower=0> N;
  array[N] int<lower=0> calls;
}
parameters {
  simplex[3] share;
  ordered[3] log_rate;
}
model {
  share ~ dirichlet([4, 4, 4]);
  log_rate ~ normal(1.5, 1.5);
  vector[3] log_share = log(share);
  for (n in 1 : N) {
    vector[3] term = log_share;
    for (k in 1 : 3) {
      term[k] += poisson_log_lpmf(calls[n] | log_rate[k]);
    }
    target += log_sum_exp(term);
  }
}
