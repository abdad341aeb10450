// A curved ridge: x is standard normal, y normal about 1.5 (x^2 - 1). The log evidence is log(2 pi) = 1.8379.
parameters {
  real x;
  real y;
}
model {
  x ~ std_normal();
  y ~ normal(1.5 * (square(x) - 1), 1);
}
