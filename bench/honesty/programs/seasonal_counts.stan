// Monthly counts: Fourier terms and a first-order latent autoregression.
data {
  int<lower=2> T, K;
  matrix[T, K] season;
  array[T] int<lower=0> cases;
}
parameters {
  real base;
  vector[K] effect;
  real<lower=-1, upper=1> rho;
  real<lower=0> scale;
  vector[T] z;
}
model {
  base ~ normal(2, 1);
  effect ~ normal(0, 0.7);
  rho ~ normal(0.4, 0.3);
  scale ~ normal(0, 0.5);
  z ~ std_normal();
  vector[T] state;
  state[1] = scale * z[1] / sqrt(1 - square(rho));
  for (t in 2 : T) {
    state[t] = rho * state[t - 1] + scale * z[t];
  }
  cases ~ poisson_log(base + season * effect + state);
}
