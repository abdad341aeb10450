// Ordered logistic regression with five answers.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  array[N] int<lower=1, upper=5> answer;
}
parameters {
  vector[K] slope;
  ordered[4] cut;
}
model {
  slope ~ normal(0, 1);
  cut ~ normal(0, 3);
  answer ~ ordered_logistic(x * slope, cut);
}
