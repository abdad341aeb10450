// Zero-inflated Poisson regression.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  array[N] int<lower=0> fish;
}
parameters {
  real base;
  vector[K] slope;
  real idle_base;
  real idle_slope;
}
model {
  base ~ normal(0, 1.5);
  slope ~ normal(0, 0.7);
  idle_base ~ normal(0, 1.5);
  idle_slope ~ normal(0, 1);
  vector[N] log_mean = base + x * slope;
  vector[N] idle = idle_base + idle_slope * x[ : , 1];
  for (n in 1 : N) {
    if (fish[n] == 0) {
      target += log_sum_exp(log_inv_logit(idle[n]), log1m_inv_logit(idle[n]) - exp(log_mean[n]));
    } else {
      target += log1m_inv_logit(idle[n]) + poisson_log_lpmf(fish[n] | log_mean[n]);
    }
  }
}
