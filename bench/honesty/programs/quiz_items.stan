// Item response with one parameter for each item.
data {
  int<lower=0> N, I, P;
  array[N] int<lower=1, upper=I> item;
  array[N] int<lower=1, upper=P> person;
  array[N] int<lower=0, upper=1> right;
}
parameters {
  vector[P] ability;
  vector[I] difficulty;
  real<lower=0> spread;
}
model {
  ability ~ std_normal();
  difficulty ~ normal(0, 1.5);
  spread ~ lognormal(0, 0.5);
  right ~ bernoulli_logit(spread * ability[person] - difficulty[item]);
}
