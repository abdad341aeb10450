data {
  complex c; complex_vector[2] cv; complex_row_vector[2] cr; complex_matrix[2, 2] cm;
  array[2, 3] tuple(int, real, array[2] vector[3]) t;
}
parameters {
  ordered[3] o; positive_ordered[3] po; simplex[3] s; unit_vector[3] u;
  sum_to_zero_vector[3] zv; sum_to_zero_matrix[2, 2] zm;
  cholesky_factor_corr[3] lc; cholesky_factor_cov[3, 2] lv; corr_matrix[3] cor; cov_matrix[3] cov;
  column_stochastic_matrix[2, 3] cs; row_stochastic_matrix[2, 3] rs;
  vector<lower=-1, upper=[1, 2, 3]'>[3] b;
}
model { target += sum(o) + 2.5e-3 * real(get_real(c)); }
