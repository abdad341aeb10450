data {
  int N;
  matrix[N, 2] X;
  array[N] int<lower=0> y;
}
parameters {
  vector[2] beta;
}
model {
  y ~ poisson_log(X * beta);
}
