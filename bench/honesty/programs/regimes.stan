// Two hidden states of a Markov chain, summed out.
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  ordered[2] mu;
  real<lower=0> sigma;
  vector<lower=0, upper=1>[2] stay;
}
model {
  mu ~ normal(0, 2);
  sigma ~ lognormal(0, 0.5);
  stay ~ beta(8, 2);
  vector[2] log_stay = log(stay);
  vector[2] log_leave = log1m(stay);
  vector[2] forward;
  for (k in 1 : 2) {
    forward[k] = log(0.5) + normal_lpdf(y[1] | mu[k], sigma);
  }
  for (t in 2 : T) {
    vector[2] before = forward;
    forward[1] = log_sum_exp(before[1] + log_stay[1], before[2] + log_leave[2]) + normal_lpdf(y[t] | mu[1], sigma);
    forward[2] = log_sum_exp(before[2] + log_stay[2], before[1] + log_leave[1]) + normal_lpdf(y[t] | mu[2], sigma);
  }
  target += log_sum_exp(forward);
}
