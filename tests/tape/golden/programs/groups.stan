// A regression with an intercept for each group.
data {
  int N;
  int G;
  array[N] int<lower=1, upper=G> g;
  vector[N] x;
  vector[N] y;
}
parameters {
  vector[G] a;
  real b;
  real<lower=0> s;
}
model {
  vector[N] doubled = 2 * a[g];  // nothing reads it
  a ~ std_normal();
  y ~ normal(a[g] + b * x, s);
}
