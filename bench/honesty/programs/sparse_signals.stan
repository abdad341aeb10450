// Shrinkage with local scales that have heavy tails.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  vector[K] z;
  vector<lower=0>[K] local;
  real<lower=0> global;
  real<lower=0> sigma;
}
model {
  z ~ std_normal();
  local ~ student_t(3, 0, 1);
  global ~ student_t(4, 0, 0.3);
  sigma ~ lognormal(0, 0.5);
  y ~ normal_id_glm(x, 0, 2 * tanh(0.5 * global * (local .* z)), sigma);
}
