data {
  int N;
  vector[N] x;
}
parameters {
  vector[2] a;
}
model {
  for (n in 1 : N) {
    target += log(softmax(a * x[n])[1]) + cumulative_sum(a * x[n])[2];
  }
}
