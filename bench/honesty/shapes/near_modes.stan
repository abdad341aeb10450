// Two modes with shares 0.9 and 0.1, four standard deviations apart: a bridge of low density between them.
parameters {
  vector[2] x;
}
model {
  target += log_mix(0.9, normal_lpdf(x | 0, 1), normal_lpdf(x | 3, 1));
}
