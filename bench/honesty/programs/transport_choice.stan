// Multinomial logit with the last of four choices as the base.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  array[N] int<lower=1, upper=4> choice;
}
parameters {
  matrix[K, 3] slope;
}
model {
  to_vector(slope) ~ normal(0, 1);
  matrix[N, 4] utility = append_col(x * slope, rep_vector(0, N));
  for (n in 1 : N) {
    choice[n] ~ categorical_logit(utility[n]');
  }
}
