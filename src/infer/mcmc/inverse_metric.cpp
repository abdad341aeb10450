// With M^-1 = L L', p = L'^-1 z for standard normal z has covariance (L L')^-1 = M.
#include "infer/mcmc/inverse_metric.hpp"

#include <cmath>

#include "infer/mcmc/archive_fixed.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

math::linear::ConstView rows_of(const std::vector<double>& square, std::size_t dim) {
  return math::linear::ConstView::by_rows(square.data(), dim, dim);
}

}  // namespace

InverseMetric::InverseMetric(Metric kind, std::size_t dim) : kind_(kind), dim_(dim) {
  if (is_dense()) {
    values_.assign(dim * dim, 0.0);
    for (std::size_t i = 0; i < dim; ++i) values_[i * dim + i] = 1.0;
  } else {
    values_.assign(dim, 1.0);
  }
  factorise();
}

bool InverseMetric::factorise() {
  if (is_dense()) {
    factor_.resize(dim_ * dim_);
    return math::linear::cholesky(rows_of(values_, dim_),
                                  math::linear::View::by_rows(factor_.data(), dim_, dim_));
  }
  factor_.resize(dim_);
  for (std::size_t i = 0; i < dim_; ++i) {
    factor_[i] = 1.0 / std::sqrt(values_[i]);
    if (!(values_[i] > 0) || !std::isfinite(values_[i])) return false;
  }
  return true;
}

bool InverseMetric::set(std::vector<double> values) {
  values_ = std::move(values);
  return factorise();
}

void InverseMetric::draw_momentum(Random& random, double* p) const {
  for (std::size_t i = 0; i < dim_; ++i) p[i] = random.normal();
  if (is_dense()) {
    math::linear::solve_lower_transposed(rows_of(factor_, dim_), math::linear::View::vector(p, dim_));
  } else {
    for (std::size_t i = 0; i < dim_; ++i) p[i] *= factor_[i];
  }
}

void InverseMetric::velocity(const double* p, double* result) const {
  if (is_dense()) {
    math::linear::multiply_symmetric(rows_of(values_, dim_), {p, dim_}, {result, dim_});
  } else {
    for (std::size_t i = 0; i < dim_; ++i) result[i] = values_[i] * p[i];
  }
}

void InverseMetric::archive(Archive& archive) {
  archive_fixed(archive, values_);
  if (archive.is_reading()) factorise();
}

}  // namespace kullback::infer
