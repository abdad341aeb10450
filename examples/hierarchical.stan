// Growth of plants in several plots: every plot has its own level and slope,
// and the plots together say how levels and slopes vary and go together.
data {
  int<lower=0> N;
  int<lower=1> P;                        // plots
  array[N] int<lower=1, upper=P> plot;
  vector[N] week;
  vector[N] height;
}
parameters {
  vector[2] mean_line;                   // level and slope of an average plot
  vector<lower=0>[2] spread;             // how much plots differ in each
  cholesky_factor_corr[2] L;             // how level and slope go together
  matrix[2, P] z;
  real<lower=0> noise;
}
transformed parameters {
  matrix[2, P] line = rep_matrix(mean_line, P) + diag_pre_multiply(spread, L) * z;
}
model {
  mean_line ~ normal(0, 10);
  spread ~ exponential(1);
  L ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  noise ~ exponential(1);
  height ~ normal(line[1, plot]' + line[2, plot]' .* week, noise);
}
generated quantities {
  real correlation = multiply_lower_tri_self_transpose(L)[1, 2];
}
