// A Gaussian with covariance ((2, 1.5), (1.5, 1.6)): its correlation is 0.84.
transformed data {
  matrix[2, 2] S = [[2, 1.5], [1.5, 1.6]];
}
parameters {
  vector[2] x;
}
model {
  x ~ multi_normal(zeros_vector(2), S);
}
