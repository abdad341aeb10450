// Rows, written as a loop.
data {
  int N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real a;
  real b;
  real<lower=0> s;
}
model {
  a ~ normal(0, 5);
  for (n in 1 : N) {
    y[n] ~ normal(a + b * x[n], s);
  }
}
