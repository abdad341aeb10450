// Discrete Fourier transforms. Complex numbers are pairs: a vector of n of them is 2 n numbers, a matrix has
// 2 r rows.
//   fft      y_k = sum_j x_j exp(-2 pi i j k / n)         x_ += F^H y_
//   inv_fft  y_k = 1/n sum_j x_j exp(2 pi i j k / n)      x_ += 1/n F y_
//   fft2, inv_fft2: the same along columns, then along rows; n is the number of elements.
// All are linear, so that an adjoint is one more transform. Eigen's FFT (kissfft) takes O(n log n) for any n.
#include <complex>
#include <unsupported/Eigen/FFT>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using Complex = std::complex<double>;
using Line = std::vector<Complex>;

// Without the factor 1/n in either direction.
void transform_line(Eigen::FFT<double>& fft, Line& line, bool inverse) {
  if (line.size() <= 1) return;  // kissfft needs a factor
  Line out(line.size());
  if (inverse) {
    fft.inv(out, line);
  } else {
    fft.fwd(out, line);
  }
  line = std::move(out);
}

// x, as rows x cols complex numbers, is replaced by its transform.
void transform(Complex* x, std::size_t rows, std::size_t cols, bool inverse) {
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::Unscaled);
  Line line(rows);
  for (std::size_t c = 0; c < cols; ++c) {
    std::copy_n(x + c * rows, rows, line.begin());
    transform_line(fft, line, inverse);
    std::copy_n(line.begin(), rows, x + c * rows);
  }
  if (cols == 1) return;
  line.resize(cols);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) line[c] = x[c * rows + r];
    transform_line(fft, line, inverse);
    for (std::size_t c = 0; c < cols; ++c) x[c * rows + r] = line[c];
  }
}

std::vector<Complex> transformed(const double* x, Shape shape, bool inverse) {
  const auto* pairs = reinterpret_cast<const Complex*>(x);
  std::vector<Complex> out(pairs, pairs + shape.size() / 2);
  transform(out.data(), shape.rows / 2, shape.cols, inverse);
  return out;
}

template <bool inverse>
double scale(Shape shape) {
  return inverse ? 2.0 / static_cast<double>(shape.size()) : 1.0;
}

template <bool inverse>
void forward(const ArrayCall& call) {
  const Shape shape = call.arguments[0].shape;
  const std::vector<Complex> y = transformed(data(call, 0), shape, inverse);
  for (std::size_t i = 0; i < y.size(); ++i) {
    call.result[2 * i] = y[i].real() * scale<inverse>(shape);
    call.result[2 * i + 1] = y[i].imag() * scale<inverse>(shape);
  }
}

template <bool inverse>
void backward(const ArrayCall& call) {
  const Shape shape = call.arguments[0].shape;
  const std::vector<Complex> x = transformed(call.result_adjoint, shape, !inverse);
  for (std::size_t i = 0; i < x.size(); ++i) {
    adjoint(call, 0)[2 * i] += x[i].real() * scale<inverse>(shape);
    adjoint(call, 0)[2 * i + 1] += x[i].imag() * scale<inverse>(shape);
  }
}

}  // namespace

void append_fourier_ops(std::vector<ArrayOp>& ops) {
  const Type vector{Kind::complex_vector};
  const Type matrix{Kind::complex_matrix};
  append(ops, "fft", {{vector}}, {same_shape, nullptr, forward<false>, backward<false>});
  append(ops, "inv_fft", {{vector}}, {same_shape, nullptr, forward<true>, backward<true>});
  append(ops, "fft2", {{matrix}}, {same_shape, nullptr, forward<false>, backward<false>});
  append(ops, "inv_fft2", {{matrix}}, {same_shape, nullptr, forward<true>, backward<true>});
}

}  // namespace kullback::math
