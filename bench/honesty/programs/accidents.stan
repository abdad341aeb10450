// A change of a Poisson rate at an unknown time, which is summed out.
data {
  int<lower=2> T;
  array[T] int<lower=0> events;
}
parameters {
  real<lower=0> early, late;
}
model {
  early ~ gamma(2, 0.5);
  late ~ gamma(2, 0.5);
  vector[T - 1] log_p = rep_vector(-log(T - 1), T - 1);
  for (change in 1 : T - 1) {
    log_p[change] += poisson_lpmf(events[1 : change] | early) + poisson_lpmf(events[change + 1 : T] | late);
  }
  target += log_sum_exp(log_p);
}
