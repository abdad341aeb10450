// Autoregression of the second order around a trend.
data {
  int<lower=3> T;
  vector[T] y;
}
transformed data {
  vector[T] time = linspaced_vector(T, -1, 1);
}
parameters {
  real level, trend;
  real<lower=-1, upper=1> partial1, partial2;
  real<lower=0> sigma;
}
model {
  level ~ normal(0, 3);
  trend ~ normal(0, 2);
  sigma ~ exponential(1);
  vector[T] r = y - level - trend * time;
  y[3 : T] ~ normal(level + trend * time[3 : T] + partial1 * (1 - partial2) * r[2 : T - 1] + partial2 * r[1 : T - 2], sigma);
}
