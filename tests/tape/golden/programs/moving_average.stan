data {
  int T;
  vector[T] y;
}
parameters {
  real mu;
  real phi;
  real theta;
  real<lower=0> s;
}
model {
  vector[T] e;
  e[1] = y[1] - mu;
  for (t in 2 : T) {
    e[t] = y[t] - (mu + phi * y[t - 1] + theta * e[t - 1]);
  }
  e ~ normal(0, s);
}
