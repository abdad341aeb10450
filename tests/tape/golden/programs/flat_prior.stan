parameters {
  vector<lower=0, upper=1>[2] p;
}
model {
  p ~ beta(1, 1);
  1 ~ bernoulli(inv_logit(logit(p[1]) + p[2]));
}
