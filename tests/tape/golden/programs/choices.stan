// Functions of short vectors in a loop.
data {
  int N;
  array[N] int<lower=1, upper=3> y;
  vector[N] x;
}
parameters {
  vector[3] a;
  vector[3] b;
}
model {
  for (n in 1 : N) {
    y[n] ~ categorical_logit(a + b * x[n]);
  }
}
