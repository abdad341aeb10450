parameters {
  cov_matrix[2] A;
}
model {
  vector[2] w = eigenvalues_sym(A);
  matrix[2, 2] V = eigenvectors_sym(A);
  target += -sum(square(w)) + V[1, 1] * V[2, 2];
}
