functions {
  /* recursion, overloads, suffixes */
  int fib(int n);
  int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  real twice(real x) { return 2 * x; }
  vector twice(vector x) { return 2 * x; }
  real scaled_lpdf(real y, real s) { return normal_lupdf(y | 0, s); }
  real scaled_rng(real s) { return normal_rng(0, s); }
  void bump_lp(real x) { target += x; }
  real up_jacobian(real x) { jacobian += x; return exp(x); }
  tuple(real, vector) both(data array[,] int a, vector v) { return (sum(v), v); }
}
transformed data { int f = fib(10); }
parameters { real y; real<offset=1, multiplier=2> z; }
transformed parameters { real w = up_jacobian(y); }
model { y ~ scaled(2); bump_lp(z); z ~ normal(0, 1) T[-1, 1]; }
generated quantities { real r = scaled_rng(1); }
