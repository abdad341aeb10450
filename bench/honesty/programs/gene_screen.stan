// Logistic regression with more columns than the data can say much of.
data {
  int<lower=0> N, K;
  matrix[N, K] expression;
  array[N] int<lower=0, upper=1> diseased;
}
parameters {
  real intercept;
  vector[K] effect;
}
model {
  intercept ~ normal(0, 1);
  effect ~ normal(0, 0.3);
  diseased ~ bernoulli_logit_glm(expression, intercept, effect);
}
