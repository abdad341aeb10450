// Capture and recapture: survival by year, one chance of being seen. Histories end in a last sighting.
data {
  int<lower=2> T;
  int<lower=0> N;
  array[N] int<lower=1, upper=T> first, last;
  array[N] int<lower=0> again;  // sightings between first and last, last included
}
parameters {
  vector<lower=0, upper=1>[T - 1] survival;
  real<lower=0, upper=1> detection;
}
model {
  survival ~ beta(4, 2);
  detection ~ beta(2, 2);
  vector[T] never;  // log chance of not being seen after t
  never[T] = 0;
  for (back in 1 : T - 1) {
    int t = T - back;
    never[t] = log_sum_exp(log1m(survival[t]), log(survival[t]) + log1m(detection) + never[t + 1]);
  }
  vector[T] lived = append_row(0, cumulative_sum(log(survival)));
  for (n in 1 : N) {
    target += lived[last[n]] - lived[first[n]] + again[n] * log(detection)
              + (last[n] - first[n] - again[n]) * log1m(detection) + never[last[n]];
  }
}
