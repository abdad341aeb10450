# an old program
data { int N; real x[N]; int<lower=0,upper=1> y[N]; }
parameters { real a; real b[2]; real<lower=0> offset; }
model {
  real mu[N];
  for (n in 1:N) mu[n] <- a + b[1] * x[n] / offset;
  increment_log_prob(normal_log(a, 0, 1));
  lp__ <- lp__ + cauchy_log(b, 0, 2.5);
  y ~ bernoulli_logit(mu);
  increment_log_prob(if_else(a > 0, fabs(a), get_lp()));
}
