// A normal bent along a parabola.
parameters {
  real x, y;
}
model {
  x ~ normal(0, 1);
  y ~ normal(square(x), 0.2);
}
