// Item response with discriminations.
data {
  int<lower=0> I, P;
  array[P, I] int<lower=0, upper=1> right;
}
parameters {
  vector[P] ability;
  vector[I] ease;
  vector<lower=0>[I] discrimination;
}
model {
  ability ~ std_normal();
  ease ~ normal(0, 1.5);
  discrimination ~ lognormal(0, 0.4);
  for (i in 1 : I) {
    right[ : , i] ~ bernoulli_logit(ease[i] + discrimination[i] * ability);
  }
}
