#include <Eigen/QR>

#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Eigen::Map<const Eigen::MatrixXd> packed_of(const PivotedQr& qr) {
  return {qr.packed.data(), index(qr.rows), index(qr.cols)};
}

}  // namespace

void qr(const ConstView& a, const View& q, const View& r) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposition(stored(a));
  if (q.cols > 0)
    write(decomposition.householderQ() * Eigen::MatrixXd::Identity(index(q.rows), index(q.cols)), q);
  if (r.rows > 0) {
    const Eigen::MatrixXd upper =
        decomposition.matrixQR().topRows(index(r.rows)).triangularView<Eigen::Upper>();
    write(upper, r);
  }
}

PivotedQr pivoted_qr(const ConstView& a) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(stored(a));
  const Eigen::MatrixXd& packed = decomposition.matrixQR();
  const auto& coefficients = decomposition.hCoeffs();
  return {{packed.data(), packed.data() + packed.size()},
          {coefficients.data(), coefficients.data() + coefficients.size()},
          a.rows,
          a.cols};
}

std::vector<double> PivotedQr::pivots() const {
  const Eigen::VectorXd diagonal = packed_of(*this).diagonal().cwiseAbs();
  return {diagonal.data(), diagonal.data() + diagonal.size()};
}

void PivotedQr::basis(const View& q) const {
  const Eigen::Map<const Eigen::VectorXd> scales(coefficients.data(), index(coefficients.size()));
  write(Eigen::householderSequence(packed_of(*this), scales) *
            Eigen::MatrixXd::Identity(index(q.rows), index(q.cols)),
        q);
}

void least_squares(const ConstView& a, const ConstView& b, const View& x) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(stored(a));
  write(decomposition.solve(columns_of(b)), x);
}

}  // namespace kullback::math::linear
