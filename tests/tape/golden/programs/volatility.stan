// GARCH(1, 1) without the conditions on its parameters.
data {
  int T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=0> a;
  real<lower=0> b;
  real<lower=0> c;
}
model {
  vector[T] h;
  h[1] = a;
  for (t in 2 : T) {
    h[t] = a + b * square(y[t - 1] - mu) + c * h[t - 1];
  }
  y ~ normal(mu, sqrt(h));
}
