// Stochastic volatility by standard normals.
data {
  int<lower=2> T;
  vector[T] returns;
}
parameters {
  real mu;
  real<lower=0, upper=1> persistence;
  real<lower=0> scale;
  vector[T] z;
}
model {
  mu ~ normal(-1, 1);
  persistence ~ beta(10, 2);
  scale ~ normal(0, 0.5);
  z ~ std_normal();
  vector[T] h;
  h[1] = mu + scale * z[1] / sqrt(1 - square(persistence));
  for (t in 2 : T) {
    h[t] = mu + persistence * (h[t - 1] - mu) + scale * z[t];
  }
  returns ~ normal(0, exp(0.5 * h));
}
