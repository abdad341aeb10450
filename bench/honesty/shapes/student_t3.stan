// Student's t with three degrees of freedom in five dimensions: the variance is finite, the fourth moment is not.
parameters {
  vector[5] x;
}
model {
  x ~ multi_student_t(3, rep_vector(0, 5), identity_matrix(5));
}
