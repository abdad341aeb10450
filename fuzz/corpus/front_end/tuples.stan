transformed data {
  tuple(real, ) one = (1.5, );
  tuple(tuple(int, real), vector[2]) t = ((1, 2), [1, 2]');
  real a; vector[2] v;
  (a, v) = (t.1.2, t.2);
  t.1.1 = 3;
  real z = t.2[1] + one.1;
}
