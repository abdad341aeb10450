// Lognormal durations with censoring from above, by two kinds of users: four parameters.
data {
  int<lower=0> N;
  vector<lower=0>[N] minutes;
  array[N] int<lower=0, upper=1> is_cut;
  vector<lower=0, upper=1>[N] is_new;
}
parameters {
  real base, effect;
  real<lower=0> spread_old, spread_new;
}
model {
  base ~ normal(1, 1);
  effect ~ normal(0, 1);
  spread_old ~ lognormal(0, 0.5);
  spread_new ~ lognormal(0, 0.5);
  vector[N] location = base + effect * is_new;
  vector[N] spread = spread_old + (spread_new - spread_old) * is_new;
  for (n in 1 : N) {
    if (is_cut[n]) {
      target += lognormal_lccdf(minutes[n] | location[n], spread[n]);
    } else {
      minutes[n] ~ lognormal(location[n], spread[n]);
    }
  }
}
