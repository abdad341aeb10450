transformed data {
  int n = 0;
  array[3] int xs = {1, 2, 3};
  for (i in 1:10) { if (i % 2 == 0) continue; else if (i > 7) break; n += i; }
  while (n > 0) { n -= 1; }
  for (x in xs) print("x = ", x, " ", n ? x : -x);
  profile("p") { matrix[2, 2] m = [[1, 2], [3, 4]]; m[1, :] = m[2]; m[:, 1] .*= m[:, 2]; m = m' \ m; }
  if (n != 0) reject("n is ", n);
}
