// A common factor behind six tests, which all load on it positively.
data {
  int<lower=0> N, D;
  matrix[N, D] score;
}
parameters {
  vector<lower=0>[D] loading;
  vector<lower=0>[D] sigma;
  vector[N] factor;
}
model {
  loading ~ normal(0, 1);
  sigma ~ lognormal(-0.3, 0.3);
  factor ~ std_normal();
  for (d in 1 : D) {
    score[ : , d] ~ normal(loading[d] * factor, sigma[d]);
  }
}
