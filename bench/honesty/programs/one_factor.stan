// A common factor behind six tests; the first loading is positive.
data {
  int<lower=0> N, D;
  matrix[N, D] score;
}
parameters {
  real<lower=0> first_loading;
  vector[D - 1] loading;
  vector<lower=0>[D] sigma;
  vector[N] factor;
}
model {
  first_loading ~ normal(1, 0.5);
  loading ~ normal(0, 1);
  sigma ~ lognormal(-0.3, 0.3);
  factor ~ std_normal();
  score[ : , 1] ~ normal(first_loading * factor, sigma[1]);
  for (d in 2 : D) {
    score[ : , d] ~ normal(loading[d - 1] * factor, sigma[d]);
  }
}
