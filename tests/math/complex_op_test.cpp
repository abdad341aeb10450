// Values of the array ops on complex numbers, against what defines them, in long double.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "array_op_cases.hpp"

namespace kullback::math::array_op_testing {
namespace {

using Real = long double;
using Number = std::complex<Real>;

struct Complexes {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<Number> data;

  Complexes(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c) {}
  Number& operator()(std::size_t i, std::size_t j) { return data[j * rows + i]; }
  Number operator()(std::size_t i, std::size_t j) const { return data[j * rows + i]; }
};

Complexes from_pairs(const std::vector<double>& pairs, Shape shape) {
  Complexes out(shape.rows / 2, shape.cols);
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] = {pairs[2 * i], pairs[2 * i + 1]};
  return out;
}

Complexes argument(const ArrayOp& op, const Value& value) {
  if (op.parameter_types[0].is_complex()) return from_pairs(value.data, value.shape);
  Complexes out(value.shape.rows, value.shape.cols);
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] = value.data[i];
  return out;
}

Complexes operator*(const Complexes& a, const Complexes& b) {
  Complexes out(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.cols; ++j)
      for (std::size_t k = 0; k < a.cols; ++k) out(i, j) += a(i, k) * b(k, j);
  return out;
}

Complexes adjoint(const Complexes& a) {
  Complexes out(a.cols, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) out(j, i) = std::conj(a(i, j));
  return out;
}

Number trace(const Complexes& a) {
  Number sum = 0;
  for (std::size_t i = 0; i < a.rows; ++i) sum += a(i, i);
  return sum;
}

void expect_equal(const Complexes& a, const Complexes& b, const std::string& what) {
  ASSERT_EQ(a.data.size(), b.data.size()) << what;
  for (std::size_t i = 0; i < a.data.size(); ++i)
    EXPECT_LT(std::abs(a.data[i] - b.data[i]), 1e-12L) << what << i;
}

// The sums of powers of n numbers determine them.
void expect_spectrum(const Complexes& a, const std::vector<Number>& values, const std::string& what) {
  Complexes power = a;
  for (std::size_t k = 1; k <= values.size(); ++k) {
    Number sum = 0;
    Real scale = 1;
    for (const Number& value : values) {
      sum += std::pow(value, static_cast<Real>(k));
      scale = std::max(scale, std::pow(std::abs(value), static_cast<Real>(k)));
    }
    EXPECT_LT(std::abs(sum - trace(power)), 1e-12L * scale) << what << ", power " << k;
    power = power * a;
  }
}

// Each column is an eigenvector of length 1 whose largest element is real; of a real vector, any sign will
// do.
void expect_vectors(const Complexes& a, const Complexes& v, const std::string& what) {
  const Complexes image = a * v;
  for (std::size_t j = 0; j < v.cols; ++j) {
    std::size_t top = 0;
    Real squares = 0;
    for (std::size_t i = 0; i < v.rows; ++i) {
      squares += std::norm(v(i, j));
      if (std::abs(v(i, j)) > std::abs(v(top, j))) top = i;
    }
    EXPECT_LT(std::fabs(squares - 1), 1e-13L) << what;
    EXPECT_LT(std::fabs(v(top, j).imag()), 1e-15L) << what;
    const Number value = image(top, j) / v(top, j);
    for (std::size_t i = 0; i < v.rows; ++i)
      EXPECT_LT(std::abs(image(i, j) - value * v(i, j)), 1e-12L) << what;
  }
}

Complexes fourier(const Complexes& x, int sign, bool divide) {
  Complexes out(x.rows, x.cols);
  const auto angle = [&](std::size_t a, std::size_t b, std::size_t n) {
    return static_cast<Real>(sign) * 2 * std::numbers::pi_v<Real> * static_cast<Real>(a * b) /
           static_cast<Real>(n);
  };
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t c = 0; c < x.cols; ++c)
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j)
          out(r, c) += x(i, j) * std::polar<Real>(1, angle(r, i, x.rows) + angle(c, j, x.cols)) /
                       static_cast<Real>(divide ? x.data.size() : 1);
  return out;
}

std::vector<double> partner(const ArrayOp& op, std::string_view name, const std::vector<Value>& values) {
  return Runner(*find_array_op(name, op.parameter_types)).forward(values);
}

void check_values(const ArrayOp& op, const std::vector<Value>& values) {
  Runner runner(op);
  const std::vector<double> found = runner.forward(values);
  const Complexes a = argument(op, values[0]);
  const std::string what = title(op) + " ";
  if (op.name == "singular_values") {
    std::vector<Number> squares;
    for (const double s : found) squares.push_back(static_cast<Real>(s) * s);
    squares.resize(a.cols);  // further ones are zero
    expect_spectrum(adjoint(a) * a, squares, what);
    return;
  }
  const Complexes result = from_pairs(found, runner.shape());
  if (op.name == "eigenvalues") {
    expect_spectrum(a, result.data, what);
  } else if (op.name == "eigenvectors") {
    expect_vectors(a, result, what);
  } else if (op.name == "svd_U") {
    expect_vectors(a * adjoint(a), result, what);
  } else if (op.name == "complex_schur_decompose_t") {
    const Complexes u = from_pairs(partner(op, "complex_schur_decompose_u", values), runner.shape());
    expect_equal(u * result * adjoint(u), a, what);
    for (std::size_t j = 0; j < result.cols; ++j)
      for (std::size_t i = j + 1; i < result.rows; ++i) EXPECT_EQ(result(i, j), Number(0)) << what;
  } else if (op.name == "complex_schur_decompose_u") {
    Complexes identity(a.rows, a.cols);
    for (std::size_t i = 0; i < a.rows; ++i) identity(i, i) = 1;
    expect_equal(result * adjoint(result), identity, what);
  } else {
    const bool inverse = op.name.starts_with("inv");
    ASSERT_NE(op.name.find("fft"), std::string_view::npos) << what << "has no check of its values";
    expect_equal(result, fourier(a, inverse ? 1 : -1, inverse), what);
  }
}

TEST(ComplexOp, AgreesWithItsDefinition) {
  Generator generator(21);
  int tried = 0;
  for (const ArrayOp* op : tested_ops()) {
    if (!is_about_complex(*op)) continue;
    for (const Sizes& sizes : {Sizes{.n = 3, .k = 2, .m = 4, .d = 2}, Sizes{.n = 5, .k = 6, .m = 2, .d = 3},
                               Sizes{.n = 8, .k = 7, .m = 2, .d = 3}, Sizes{1, 1, 1, 1}}) {
      check_values(*op, generator.arguments(*op, sizes));
      ++tried;
    }
  }
  EXPECT_EQ(tried, 14 * 4);
}

}  // namespace
}  // namespace kullback::math::array_op_testing
