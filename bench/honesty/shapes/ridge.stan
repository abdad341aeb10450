// A correlation of 0.999 and scales that differ by a thousand.
parameters {
  vector[2] x;
}
model {
  x[1] ~ normal(0, 1);
  x[2] ~ normal(999 * x[1], 1000 * sqrt(1 - square(0.999)));
}
