data {
  int N;
  matrix[N, 2] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[2] beta;
}
model {
  beta ~ normal(0, 1);
  y ~ bernoulli_logit(alpha + X * beta);
}
