// Eight schools tried a coaching programme; each reports the gain it saw and how uncertain it is.
// How good is the programme, and how much do the schools differ?
// Written without centring: theta = mu + tau * z leaves no funnel for an algorithm to fall into.
data {
  int<lower=0> J;               // schools
  vector[J] y;                  // estimated gain of each
  vector<lower=0>[J] sigma;     // its standard error
}
parameters {
  real mu;                      // gain of a school like these
  real<lower=0> tau;            // spread between schools
  vector[J] z;
}
transformed parameters {
  vector[J] theta = mu + tau * z;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  z ~ std_normal();
  y ~ normal(theta, sigma);
}
generated quantities {
  vector[J] log_lik;
  for (j in 1 : J) {
    log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]);
  }
}
