#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Eigen::Map<const Eigen::MatrixXd> packed_of(const Lu& lu) {
  return {lu.packed.data(), index(lu.size), index(lu.size)};
}

template <class Vectors>
void solve_in_place(const Lu& lu, Vectors b) {
  const typename Vectors::PlainObject before = b;
  for (std::size_t i = 0; i < lu.size; ++i) b.row(index(lu.places[i])) = before.row(index(i));
  packed_of(lu).triangularView<Eigen::UnitLower>().solveInPlace(b);
  packed_of(lu).triangularView<Eigen::Upper>().solveInPlace(b);
}

}  // namespace

double Lu::log_abs_determinant() const { return packed_of(*this).diagonal().array().abs().log().sum(); }

double Lu::sign_of_determinant() const {
  return sign_of_places * packed_of(*this).diagonal().array().sign().prod();
}

Lu lu(const ConstView& a) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> decomposition(stored(a));
  const Eigen::MatrixXd& packed = decomposition.matrixLU();
  Lu result;
  result.size = a.rows;
  result.packed.assign(packed.data(), packed.data() + packed.size());
  for (const int place : decomposition.permutationP().indices())
    result.places.push_back(static_cast<std::size_t>(place));
  result.sign_of_places = static_cast<double>(decomposition.permutationP().determinant());
  return result;
}

void solve_lu(const Lu& lu, const View& b) {
  if (b.storage == Storage::vector)
    solve_in_place(lu, stored_vector(b));
  else
    solve_in_place(lu, stored(b));
}

void solve_symmetric(const ConstView& a, const View& b) {
  const Eigen::LDLT<Eigen::MatrixXd> factor(stored(a));
  if (b.storage == Storage::vector)
    stored_vector(b) = factor.solve(Eigen::VectorXd(stored_vector(b)));
  else
    stored(b) = factor.solve(Eigen::MatrixXd(stored(b)));
}

}  // namespace kullback::math::linear
