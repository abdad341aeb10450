// Neal's funnel: the scale of x is exp(v / 2). The log evidence is log(3) + 1.5 log(2 pi) = 3.8554.
parameters {
  real v;
  vector[2] x;
}
model {
  v ~ normal(0, 3);
  x ~ normal(0, exp(v / 2));
}
