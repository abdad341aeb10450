// Half a logarithm of a matrix.
parameters {
  vector<lower=0>[2] d;
  real r;
}
model {
  matrix[2, 2] A = [[d[1], r], [r, d[2] + 1]];
  tuple(matrix[2, 2], vector[2]) e = eigendecompose_sym(A);
  d ~ exponential(1);
  target += -square(r) - sum(square(e.1 * log1p_exp(e.2)));
}
