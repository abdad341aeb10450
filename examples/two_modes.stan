// Two modes of different height and width: what approximations by one Gaussian make of them.
parameters {
  real x;
}
model {
  target += log_mix(0.65, normal_lpdf(x | -2.5, 0.6), normal_lpdf(x | 2.5, 0.9));
}
