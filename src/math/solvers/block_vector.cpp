// The operations that CVODES, IDAS and KINSOL call, in the order of SUNDIALS' table. Rounding is that of the
// serial vectors: multiplying by 1 or -1 is exact, and sums run in the same order. Results may be their own
// arguments, as everywhere in SUNDIALS, never overlap otherwise.
#include "math/solvers/block_vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

namespace kullback::math::sundials {

namespace {

using Object = BlockVectorObject;  // the numbers of a clone follow it in memory
static_assert(sizeof(Object) % alignof(double) == 0);

_generic_N_Vector_Ops* operations();

N_Vector allocate(const BlockVector& like, std::size_t own_numbers, SUNContext context) {
  void* memory = std::malloc(sizeof(Object) + own_numbers * sizeof(double));
  if (memory == nullptr) return nullptr;
  auto* made = new (memory) Object{{}, like};
  made->vector.content = &made->numbers;
  made->vector.ops = operations();
  made->vector.sunctx = context;
  return &made->vector;
}

N_Vector clone(N_Vector v) {
  const BlockVector& like = block_vector(v);
  N_Vector made = allocate(like, like.length, v->sunctx);
  if (made == nullptr) return nullptr;
  auto* numbers = reinterpret_cast<double*>(reinterpret_cast<Object*>(made) + 1);
  block_vector(made).data = std::fill_n(numbers, like.length, 0.0) - like.length;
  return made;
}

void destroy(N_Vector v) { std::free(v); }

N_Vector_ID id(N_Vector) { return SUNDIALS_NVEC_CUSTOM; }
sunindextype length(N_Vector v) { return static_cast<sunindextype>(block_vector(v).length); }
double* array_pointer(N_Vector v) { return data(v); }

// Numbers and integers kept, for the statistics that SUNDIALS offers.
void space(N_Vector v, sunindextype* reals, sunindextype* integers) {
  *reals = length(v);
  *integers = 2;
}

// ---- element by element ----

template <class F>
void fill(N_Vector z, const F& element) {
  const BlockVector& to = block_vector(z);
  for (std::size_t i = 0; i < to.length; ++i) to.data[i] = element(i);
}

// SUNDIALS' rounding where a = b or a = -b.
void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const double* u = data(x);
  const double* v = data(y);
  if (a == b) {
    fill(z, [=](std::size_t i) { return a * (u[i] + v[i]); });
  } else if (a == -b) {
    fill(z, [=](std::size_t i) { return a * (u[i] - v[i]); });
  } else {
    fill(z, [=](std::size_t i) { return a * u[i] + b * v[i]; });
  }
}

void constant(double c, N_Vector z) {
  fill(z, [=](std::size_t) { return c; });
}

void product(N_Vector x, N_Vector y, N_Vector z) {
  fill(z, [u = data(x), v = data(y)](std::size_t i) { return u[i] * v[i]; });
}

void quotient(N_Vector x, N_Vector y, N_Vector z) {
  fill(z, [u = data(x), v = data(y)](std::size_t i) { return u[i] / v[i]; });
}

void scale(double c, N_Vector x, N_Vector z) {
  fill(z, [c, u = data(x)](std::size_t i) { return c * u[i]; });
}

void absolute(N_Vector x, N_Vector z) {
  fill(z, [u = data(x)](std::size_t i) { return std::abs(u[i]); });
}

void inverse(N_Vector x, N_Vector z) {
  fill(z, [u = data(x)](std::size_t i) { return 1.0 / u[i]; });
}

void add_constant(N_Vector x, double b, N_Vector z) {
  fill(z, [b, u = data(x)](std::size_t i) { return u[i] + b; });
}

// ---- to one number ----

template <class F>
double sum(std::size_t count, const F& element) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += element(i);
  return total;
}

double dot_product(N_Vector x, N_Vector y) {
  return sum(block_vector(x).length, [u = data(x), v = data(y)](std::size_t i) { return u[i] * v[i]; });
}

double sum_of_absolutes(N_Vector x) {
  return sum(block_vector(x).length, [u = data(x)](std::size_t i) { return std::abs(u[i]); });
}

double largest_absolute(N_Vector x) {
  const BlockVector& v = block_vector(x);
  double largest = 0;
  for (std::size_t i = 0; i < v.length; ++i) largest = std::max(largest, std::abs(v.data[i]));
  return largest;
}

double smallest(N_Vector x) {
  const BlockVector& v = block_vector(x);
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < v.length; ++i) least = std::min(least, v.data[i]);
  return least;
}

double weighted_square(const double* x, const double* w, std::size_t count) {
  return sum(count, [=](std::size_t i) { return (x[i] * w[i]) * (x[i] * w[i]); });
}

double weighted_norm(N_Vector x, N_Vector w) {
  return std::sqrt(weighted_square(data(x), data(w), block_vector(x).length));
}

// A norm of the first block that is not a number stays; in others it is passed over, as by CVODES' largest
// norm of its sensitivities: states that are not numbers end a step, sensitivities come out as they are.
double weighted_mean_norm(N_Vector x, N_Vector w) {
  const BlockVector& v = block_vector(x);
  const double* weights = data(w);
  double largest = weighted_square(v.data, weights, v.block);
  for (std::size_t first = v.block; first < v.length; first += v.block) {
    const double square = weighted_square(v.data + first, weights + first, v.block);
    if (square > largest) largest = square;
  }
  return std::sqrt(largest / static_cast<double>(v.block));
}

// ---- several vectors in one call ----

int linear_combination(int count, double* c, N_Vector* x, N_Vector z) {
  scale(c[0], x[0], z);
  const BlockVector& to = block_vector(z);
  for (int k = 1; k < count; ++k) {
    const double* u = data(x[k]);
    for (std::size_t i = 0; i < to.length; ++i) to.data[i] += c[k] * u[i];
  }
  return 0;
}

int scale_add_each(int count, double* a, N_Vector x, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < count; ++k)
    fill(z[k], [c = a[k], u = data(x), v = data(y[k])](std::size_t i) { return c * u[i] + v[i]; });
  return 0;
}

int linear_sums(int count, double a, N_Vector* x, double b, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < count; ++k) linear_sum(a, x[k], b, y[k], z[k]);
  return 0;
}

int scale_all(int count, double* c, N_Vector* x, N_Vector* z) {
  for (int k = 0; k < count; ++k) scale(c[k], x[k], z[k]);
  return 0;
}

int constants(int count, double c, N_Vector* z) {
  for (int k = 0; k < count; ++k) constant(c, z[k]);
  return 0;
}

int weighted_mean_norms(int count, N_Vector* x, N_Vector* w, double* norms) {
  for (int k = 0; k < count; ++k) norms[k] = weighted_mean_norm(x[k], w[k]);
  return 0;
}

// z[j][k] = a[j] x[k] + y[j][k]
int scale_add_each_of_all(int vectors, int sums, double* a, N_Vector* x, N_Vector** y, N_Vector** z) {
  for (int j = 0; j < sums; ++j) {
    for (int k = 0; k < vectors; ++k)
      fill(z[j][k], [c = a[j], u = data(x[k]), v = data(y[j][k])](std::size_t i) { return c * u[i] + v[i]; });
  }
  return 0;
}

// z[k] = sum over j of c[j] x[j][k]
int linear_combinations(int vectors, int terms, double* c, N_Vector** x, N_Vector* z) {
  for (int k = 0; k < vectors; ++k) {
    scale(c[0], x[0][k], z[k]);
    const BlockVector& to = block_vector(z[k]);
    for (int j = 1; j < terms; ++j) {
      const double* u = data(x[j][k]);
      for (std::size_t i = 0; i < to.length; ++i) to.data[i] += c[j] * u[i];
    }
  }
  return 0;
}

_generic_N_Vector_Ops make_operations() {
  _generic_N_Vector_Ops ops{};
  ops.nvgetvectorid = id;
  ops.nvclone = clone;
  ops.nvdestroy = destroy;
  ops.nvspace = space;
  ops.nvgetarraypointer = array_pointer;
  ops.nvgetlength = length;
  ops.nvlinearsum = linear_sum;
  ops.nvconst = constant;
  ops.nvprod = product;
  ops.nvdiv = quotient;
  ops.nvscale = scale;
  ops.nvabs = absolute;
  ops.nvinv = inverse;
  ops.nvaddconst = add_constant;
  ops.nvdotprod = dot_product;
  ops.nvmaxnorm = largest_absolute;
  ops.nvwrmsnorm = weighted_mean_norm;
  ops.nvmin = smallest;
  ops.nvwl2norm = weighted_norm;
  ops.nvl1norm = sum_of_absolutes;
  ops.nvlinearcombination = linear_combination;
  ops.nvscaleaddmulti = scale_add_each;
  ops.nvlinearsumvectorarray = linear_sums;
  ops.nvscalevectorarray = scale_all;
  ops.nvconstvectorarray = constants;
  ops.nvwrmsnormvectorarray = weighted_mean_norms;
  ops.nvscaleaddmultivectorarray = scale_add_each_of_all;
  ops.nvlinearcombinationvectorarray = linear_combinations;
  return ops;
}

// One table for all vectors and threads: SUNDIALS reads it only.
_generic_N_Vector_Ops* operations() {
  static _generic_N_Vector_Ops table = make_operations();
  return &table;
}

}  // namespace

N_Vector make_block_vector(const BlockVector& numbers, SUNContext context) {
  return allocate(numbers, 0, context);
}

}  // namespace kullback::math::sundials
