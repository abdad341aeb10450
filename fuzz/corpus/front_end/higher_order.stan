functions {
  vector rhs(real t, vector y, real k) { return -k * y; }
  real part(array[] real s, int a, int b, real mu) { return normal_lpdf(s | mu, 1); }
  vector roots(vector x, real k) { return x - k; }
}
data { array[3] real ts; array[10] real ys; vector[2] y0; }
parameters { real<lower=0> k; }
transformed parameters {
  array[3] vector[2] sol = ode_rk45(rhs, y0, 0.0, ts, k);
  vector[2] r = solve_newton(roots, y0, k);
}
model { target += reduce_sum(part, ys, 1, k); sol[1] ~ normal(0, 1); }
