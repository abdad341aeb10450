// Dirichlet-multinomial counts of districts.
data {
  int<lower=0> J, K;
  array[J, K] int<lower=0> votes;
}
parameters {
  simplex[K] share;
  real<lower=0> concentration;
}
model {
  share ~ dirichlet(rep_vector(2, K));
  concentration ~ gamma(2, 0.05);
  for (j in 1 : J) {
    votes[j] ~ dirichlet_multinomial(concentration * share);
  }
}
