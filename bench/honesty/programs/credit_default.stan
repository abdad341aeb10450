// Logistic regression with unbalanced outcomes.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  array[N] int<lower=0, upper=1> defaulted;
}
parameters {
  real intercept;
  vector[K] slope;
}
model {
  intercept ~ normal(-1, 2);
  slope ~ normal(0, 1);
  defaulted ~ bernoulli_logit_glm(x, intercept, slope);
}
