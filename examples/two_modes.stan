// Two modes of different height: what approximations by one Gaussian make of them.
parameters {
  real x;
}
model {
  target += log_mix(0.65, normal_lpdf(x | -1.5, 0.7), normal_lpdf(x | 2, 0.7));
}
