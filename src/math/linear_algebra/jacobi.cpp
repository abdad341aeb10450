// Jacobi's method: rotations that make one element after another zero, by the smaller of two angles, in
// sweeps of dim^3 operations. Vectors stay as near to the axes they started from as the matrix is to a
// diagonal one, and small eigenvalues are accurate, too (Demmel and Veselic 1992).
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::math::linear {

namespace {

constexpr int kSweeps = 40;
constexpr double kZero = 1e-15;  // an element off the diagonal, in units of the two on it

struct Rotation {
  double cosine, sine;
};

Rotation rotation_of(double first, double second, double off) {
  const double cotangent = (second - first) / (2 * off);
  const double t = std::copysign(1.0, cotangent) / (std::abs(cotangent) + std::hypot(1.0, cotangent));
  const double cosine = 1 / std::sqrt(1 + t * t);
  return {cosine, t * cosine};
}

void rotate(const Rotation& by, double& left, double& right) {
  const double old = left, other = right;
  left = by.cosine * old - by.sine * other;
  right = by.sine * old + by.cosine * other;
}

}  // namespace

void symmetric_axes(const View& a, std::span<double> values, const View& vectors) {
  const std::size_t dim = a.rows;
  const auto at = [](const View& m, std::size_t i, std::size_t j) -> double& {
    return m.storage == Storage::rows ? m.data[i * m.stride + j] : m.data[j * m.stride + i];
  };
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) at(vectors, i, j) = i == j ? 1 : 0;
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool is_done = true;
    for (std::size_t p = 0; p < dim; ++p) {
      for (std::size_t q = p + 1; q < dim; ++q) {
        const double off = at(a, p, q);
        if (!(std::abs(off) > kZero * std::sqrt(std::abs(at(a, p, p) * at(a, q, q))))) continue;
        is_done = false;
        const Rotation by = rotation_of(at(a, p, p), at(a, q, q), off);
        for (std::size_t k = 0; k < dim; ++k) rotate(by, at(a, k, p), at(a, k, q));
        for (std::size_t k = 0; k < dim; ++k) {
          rotate(by, at(a, p, k), at(a, q, k));
          rotate(by, at(vectors, k, p), at(vectors, k, q));
        }
        at(a, p, q) = at(a, q, p) = 0;
      }
    }
    if (is_done) break;
  }
  for (std::size_t i = 0; i < dim; ++i) values[i] = at(a, i, i);
}

}  // namespace kullback::math::linear
