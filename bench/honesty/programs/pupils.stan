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
  vector[S] school_z;
  vector[C] class_z;
}
model {
  mu ~ normal(0, 2);
  school_sd ~ normal(0, 1);
  class_sd ~ normal(0, 1);
  sigma ~ normal(0, 2);
  school_z ~ std_normal();
  class_z ~ std_normal();
  vector[C] level = mu + school_sd * school_z[school] + class_sd * class_z;
  score ~ normal(level[class], sigma);
}
