// Pupils in classes in schools.
data {
  int<lower=0> N, C, S;
  array[N] int<lower=1, upper=C> class;
  array[C] int<lower=1, upper=S> school;
  vector[N] score;
}
parameters {
  real mu;
  real<lower=0> school_sd, class_sd, sigma;
  vector[S] school_level;
  vector[C] class_level;
}
model {
  mu ~ normal(0, 2);
  school_sd ~ lognormal(-0.7, 0.5);
  class_sd ~ lognormal(-0.7, 0.5);
  sigma ~ normal(0, 2);
  school_level ~ normal(mu, school_sd);
  class_level ~ normal(school_level[school], class_sd);
  score ~ normal(class_level[class], sigma);
}
