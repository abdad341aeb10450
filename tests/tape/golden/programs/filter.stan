// A level that forgets what it was.
data {
  int T;
  vector[T] y;
}
parameters {
  real a;
  real c;
  real<lower=0> s;
}
model {
  vector[T] level;
  level[1] = a;
  for (t in 2 : T) {
    level[t] = c + (a * y[t - 1] - s * level[t - 1]);
  }
  y ~ normal(level, 1);
}
