// Eigenvalues and eigenvectors of square matrices, A V = V diag(w), and of Hermitian ones; complex numbers
// are pairs. Vectors have length 1. Those of real eigenvalues of a real matrix are real, with Eigen's sign;
// every other vector is turned so that its largest element is real and positive, for only then is it a
// differentiable function of A.
//
// Adjoints, as g = dL/dRe + i dL/dIm, so that dL = Re(g^H dx). With G = V^-1 dA V:
//   dw_j = G_jj,   dv_j = u_j + c_j v_j,  u_j = sum_{k != j} v_k G_kj / (w_j - w_k),
//   Re c_j = -Re(v_j^H u_j) keeps the length, Im c_j = -Im(u_mj) / v_mj keeps element m real.
// Hence h_j = g_j - Re(g_j^H v_j) v_j + i e_m Im(g_j^H v_j) / v_mj is the adjoint of u_j, and
//   A_ += (V M V^-1)^H with M_jk = h_j^H v_k / (w_j - w_k), M_jj = conj(w_j_);  its real part where A is
//   real.
// Giles (2008), "Collected matrix derivative results"; Boeddeker et al. (2017) for complex eigenvectors.
// Equal eigenvalues have no derivative of their own vectors; those terms are 0, right for every function that
// does not depend on the choice of vectors. complex_schur_decompose_t and _u have no derivatives here: A must
// be data.
#include <Eigen/Core>
#include <complex>
#include <stdexcept>

#include "math/array_ops/array_support.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;
using Vector = Eigen::VectorXcd;
using Map = Eigen::Map<Matrix>;
using ConstMap = Eigen::Map<const Matrix>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

ConstMap as_complex(const double* pairs, Eigen::Index rows, Eigen::Index cols) {
  return {reinterpret_cast<const Complex*>(pairs), rows, cols};
}

void write(const Matrix& values, double* pairs) {
  Map(reinterpret_cast<Complex*>(pairs), values.rows(), values.cols()) = values;
}

enum class Input { real, general, hermitian };

template <Input input>
constexpr std::string_view kValuesName = input == Input::hermitian ? "eigenvalues_sym" : "eigenvalues";
template <Input input>
constexpr std::string_view kVectorsName = input == Input::hermitian ? "eigenvectors_sym" : "eigenvectors";

template <Input input>
Matrix argument(const ArrayCall& call) {
  const Eigen::Index n = index(cols(call, 0));
  if constexpr (input == Input::real) {
    return Eigen::Map<const Eigen::MatrixXd>(data(call, 0), n, n).cast<Complex>();
  } else {
    return as_complex(data(call, 0), n, n);
  }
}

Eigen::Index largest(const Vector& v) {
  Eigen::Index m = 0;
  v.cwiseAbs2().maxCoeff(&m);
  return m;
}

struct Decomposition {
  Vector values;
  Matrix vectors;
};

// A vector that is real up to rounding keeps its sign.
void turn(Eigen::Ref<Vector> v, bool is_real) {
  if (is_real) return;
  const Complex top = v[largest(v)];
  v *= std::conj(top) / std::abs(top);
}

template <Input input>
Decomposition decompose(const Matrix& a) {
  Decomposition d{Vector(a.rows()), Matrix(a.rows(), a.cols())};
  bool has_converged = false;
  if constexpr (input == Input::real) {
    has_converged = linear::general_eigen(Eigen::MatrixXd(a.real()), d.values, d.vectors);
  } else if constexpr (input == Input::general) {
    has_converged = linear::general_eigen(a, d.values, d.vectors);
  } else {
    Eigen::VectorXd values(a.rows());
    has_converged = linear::hermitian_eigen(a, values, d.vectors);
    d.values = values.cast<Complex>();
  }
  if (!has_converged) throw std::domain_error("eigenvalues: the iteration did not converge");
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    turn(d.vectors.col(j), input == Input::real && d.values[j].imag() == 0);
  return d;
}

template <Input input>
void check(std::string_view function, const Matrix& a) {
  if (!a.allFinite()) throw std::domain_error(std::string(function) + ": m is not finite");
  if (input == Input::hermitian && !a.isApprox(a.adjoint(), 1e-8))
    throw std::domain_error(std::string(function) + ": m is not equal to its conjugate transpose");
}

template <Input input>
void check_order(std::string_view function, Shape shape) {
  if (input != Input::real) shape.rows = (shape.rows + 1) / 2;
  check_square(function, "m", shape);
}

template <Input input>
Shape values_shape(Arguments arguments) {
  check_order<input>(kValuesName<input>, arguments[0].shape);
  return {2 * arguments[0].shape.cols, 1, 1};
}

template <Input input>
Shape vectors_shape(Arguments arguments) {
  check_order<input>(kVectorsName<input>, arguments[0].shape);
  return {2 * arguments[0].shape.cols, arguments[0].shape.cols, 1};
}

// Values and vectors are kept for the adjoint.
std::size_t scratch_size(Arguments arguments) {
  const std::size_t n = arguments[0].shape.cols;
  return 2 * n + 2 * n * n;
}

template <Input input>
void decompose_into_scratch(const ArrayCall& call, std::string_view function) {
  const std::size_t n = cols(call, 0);
  const Matrix a = argument<input>(call);
  check<input>(function, a);
  if (n == 0) return;
  const Decomposition d = decompose<input>(a);
  write(d.values, call.scratch);
  write(d.vectors, call.scratch + 2 * n);
}

template <Input input>
void values_forward(const ArrayCall& call) {
  decompose_into_scratch<input>(call, kValuesName<input>);
  std::copy_n(call.scratch, 2 * cols(call, 0), call.result);
}

template <Input input>
void vectors_forward(const ArrayCall& call) {
  decompose_into_scratch<input>(call, kVectorsName<input>);
  const std::size_t n = cols(call, 0);
  std::copy_n(call.scratch + 2 * n, 2 * n * n, call.result);
}

template <Input input>
void add_to_adjoint(const ArrayCall& call, const ConstMap& v, const Matrix& m) {
  const Eigen::Index n = v.rows();
  Matrix inverse = v.adjoint();
  if (input != Input::hermitian) linear::inverse(v, inverse);
  const Matrix a = (v * m * inverse).adjoint();
  if constexpr (input == Input::real) {
    Eigen::Map<Eigen::MatrixXd>(adjoint(call, 0), n, n) += a.real();
  } else {
    Map(reinterpret_cast<Complex*>(adjoint(call, 0)), n, n) += a;
  }
}

template <Input input>
void values_backward(const ArrayCall& call) {
  const Eigen::Index n = index(cols(call, 0));
  if (n == 0) return;
  Vector g = as_complex(call.result_adjoint, n, 1).conjugate();
  if (input == Input::hermitian) g = g.real().cast<Complex>();  // values are real whatever happens to A
  add_to_adjoint<input>(call, as_complex(call.scratch + 2 * n, n, n), Matrix(g.asDiagonal()));
}

template <Input input>
void vectors_backward(const ArrayCall& call) {
  const Eigen::Index n = index(cols(call, 0));
  if (n == 0) return;
  const Vector w = as_complex(call.scratch, n, 1);
  const ConstMap v = as_complex(call.scratch + 2 * n, n, n);
  const ConstMap g = as_complex(call.result_adjoint, n, n);
  Matrix m = Matrix::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Complex along = g.col(j).dot(v.col(j));  // g^H v
    const bool is_real = input == Input::real && w[j].imag() == 0;
    const Eigen::Index top = largest(v.col(j));
    Vector h = g.col(j) - along.real() * v.col(j);
    if (!is_real) h[top] += Complex(0, along.imag() / v(top, j).real());
    for (Eigen::Index k = 0; k < n; ++k) {
      if (k != j && w[j] != w[k]) m(j, k) = h.dot(v.col(k)) / (w[j] - w[k]);
    }
  }
  add_to_adjoint<input>(call, v, m);
}

// ---- Schur form A = U T U^H ----

enum class Factor { triangle, unitary };

template <Factor factor>
constexpr std::string_view kFactorName =
    factor == Factor::triangle ? "complex_schur_decompose_t" : "complex_schur_decompose_u";

template <Input input, Factor factor>
Shape schur_shape(Arguments arguments) {
  check_order<input>(kFactorName<factor>, arguments[0].shape);
  return {2 * arguments[0].shape.cols, arguments[0].shape.cols, 1};
}

template <Input input, Factor factor>
void schur_forward(const ArrayCall& call) {
  if (call.arguments[0].varies)
    throw std::invalid_argument(
        "complex_schur_decompose: the matrix must be data; it has no derivatives here");
  const Matrix a = argument<input>(call);
  check<input>(kFactorName<factor>, a);
  if (a.size() == 0) return;
  Matrix triangle(a.rows(), a.cols()), unitary(a.rows(), a.cols());
  if (!linear::schur(a, triangle, unitary))
    throw std::domain_error("complex_schur_decompose: the iteration did not converge");
  write(factor == Factor::triangle ? triangle : unitary, call.result);
}

// ---- singular values of complex matrices: ds_j = Re(u_j^H dA v_j) ----

Shape singular_shape(Arguments arguments) {
  return {std::min(arguments[0].shape.rows / 2, arguments[0].shape.cols), 1, 1};
}

std::size_t singular_scratch(Arguments arguments) {
  const std::size_t rank = singular_shape(arguments).rows;
  return 2 * rank * (arguments[0].shape.rows / 2 + arguments[0].shape.cols);
}

void singular_forward(const ArrayCall& call) {
  const Eigen::Index rows = index(call.arguments[0].shape.rows / 2);
  const Matrix a = as_complex(data(call, 0), rows, index(cols(call, 0)));
  if (a.size() == 0) return;
  const Eigen::Index rank = std::min(a.rows(), a.cols());
  auto* vectors = reinterpret_cast<Complex*>(call.scratch);
  linear::svd(a, Map(vectors, a.rows(), rank), Eigen::Map<Eigen::VectorXd>(call.result, rank),
              Map(vectors + a.rows() * rank, a.cols(), rank));
}

void singular_backward(const ArrayCall& call) {
  const Eigen::Index rows = index(call.arguments[0].shape.rows / 2);
  const Eigen::Index columns = index(cols(call, 0));
  const Eigen::Index rank = std::min(rows, columns);
  if (rank == 0) return;
  const ConstMap u = as_complex(call.scratch, rows, rank);
  const ConstMap v = as_complex(call.scratch + 2 * u.size(), columns, rank);
  const Vector g = Eigen::Map<const Eigen::VectorXd>(call.result_adjoint, rank).cast<Complex>();
  Map(reinterpret_cast<Complex*>(adjoint(call, 0)), rows, columns) += u * g.asDiagonal() * v.adjoint();
}

// ---- left singular vectors of complex matrices ----
// The eigenvectors u_j of A A^H with the r = min(rows, cols) largest eigenvalues s_j^2, turned like
// eigenvectors.
//   du_j = K_j d(A A^H) u_j + c_j u_j,  K_j = sum_{k != j} u_k u_k^H / (s_j^2 - s_k^2) + (1 - U U^H) / s_j^2,
//   A_ += (B + B^H) A with B = sum_j K_j h_j u_j^H and h_j as above.

Shape left_shape(Arguments arguments) {
  const Shape shape = arguments[0].shape;
  return {shape.rows, std::min(shape.rows / 2, shape.cols), 1};
}

void left_forward(const ArrayCall& call) {
  const Eigen::Index rows = index(call.arguments[0].shape.rows / 2);
  const Matrix a = as_complex(data(call, 0), rows, index(cols(call, 0)));
  if (a.size() == 0) return;
  const Eigen::Index rank = std::min(a.rows(), a.cols());
  Matrix u(a.rows(), rank);
  linear::svd(a, u, Eigen::Map<Eigen::VectorXd>(call.scratch, rank), Matrix(a.cols(), 0));
  for (Eigen::Index j = 0; j < u.cols(); ++j) turn(u.col(j), false);
  write(u, call.result);
}

void left_backward(const ArrayCall& call) {
  const Eigen::Index rows = index(call.arguments[0].shape.rows / 2);
  const Eigen::Index columns = index(cols(call, 0));
  const Eigen::Index rank = std::min(rows, columns);
  if (rank == 0) return;
  const ConstMap a = as_complex(data(call, 0), rows, columns);
  const ConstMap u = as_complex(call.result, rows, rank);
  const ConstMap g = as_complex(call.result_adjoint, rows, rank);
  const Eigen::VectorXd s = Eigen::Map<const Eigen::VectorXd>(call.scratch, rank);
  Matrix b = Matrix::Zero(rows, rows);
  for (Eigen::Index j = 0; j < rank; ++j) {
    const Complex along = g.col(j).dot(u.col(j));
    const Eigen::Index top = largest(u.col(j));
    Vector h = g.col(j) - along.real() * u.col(j);
    h[top] += Complex(0, along.imag() / u(top, j).real());
    Vector weights = u.adjoint() * h;
    Vector turned = (h - u * weights) / (s[j] * s[j]);
    for (Eigen::Index k = 0; k < rank; ++k)
      weights[k] = s[k] == s[j] ? Complex(0) : weights[k] / ((s[j] - s[k]) * (s[j] + s[k]));
    turned += u * weights;
    b += turned * u.col(j).adjoint();
  }
  Map(reinterpret_cast<Complex*>(adjoint(call, 0)), rows, columns) += (b + b.adjoint().eval()) * a;
}

template <Input input>
void append_for(std::vector<ArrayOp>& ops, Type type) {
  append(ops, kValuesName<input>, {{type}},
         {values_shape<input>, scratch_size, values_forward<input>, values_backward<input>});
  append(ops, kVectorsName<input>, {{type}},
         {vectors_shape<input>, scratch_size, vectors_forward<input>, vectors_backward<input>});
  if constexpr (input != Input::hermitian) {
    append(ops, "complex_schur_decompose_t", {{type}},
           {schur_shape<input, Factor::triangle>, nullptr, schur_forward<input, Factor::triangle>, nullptr});
    append(ops, "complex_schur_decompose_u", {{type}},
           {schur_shape<input, Factor::unitary>, nullptr, schur_forward<input, Factor::unitary>, nullptr});
  }
}

}  // namespace

void append_eigen_general_ops(std::vector<ArrayOp>& ops) {
  const Type complex_matrix{Kind::complex_matrix};
  append_for<Input::real>(ops, kMatrix);
  append_for<Input::general>(ops, complex_matrix);
  append_for<Input::hermitian>(ops, complex_matrix);
  append(ops, "singular_values", {{complex_matrix}},
         {singular_shape, singular_scratch, singular_forward, singular_backward});
  append(ops, "svd_U", {{complex_matrix}},
         {left_shape, [](Arguments arguments) { return left_shape(arguments).cols; }, left_forward,
          left_backward});
}

}  // namespace kullback::math
