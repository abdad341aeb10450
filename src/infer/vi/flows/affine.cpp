#include "infer/vi/flows/affine.hpp"

#include <algorithm>
#include <cmath>

#include "infer/vi/flows/kernels.hpp"

namespace kullback::infer::flows {

namespace {

constexpr std::size_t kMaxDense = 200;

}  // namespace

Affine::Affine(std::size_t dim) : dim_(dim), is_dense_(dim > 1 && dim <= kMaxDense) {}

void Affine::begin(Random&, std::span<double> params) const { std::fill(params.begin(), params.end(), 0.0); }

void Affine::begin_at(const GaussianGuess& guess, std::span<double> params) const {
  std::fill(params.begin(), params.end(), 0.0);
  const bool has_lower = is_dense_ && !guess.lower.empty();
  for (std::size_t i = 0; i < dim_; ++i) {
    params[i] = guess.mean[i];
    params[dim_ + i] = std::log(has_lower ? guess.lower[i * dim_ + i] : guess.sd[i]);
    for (std::size_t j = 0; has_lower && j < i; ++j) params[row(i) + j] = guess.lower[j * dim_ + i];
  }
}

void Affine::units(std::span<const double> params, std::span<double> result) const {
  for (std::size_t i = 0; i < dim_; ++i) {
    const double scale = std::exp(params[dim_ + i]);
    result[i] = scale;
    result[dim_ + i] = 1;
    for (std::size_t j = 0; j < row_length(i); ++j) result[row(i) + j] = scale;
  }
}

void Affine::forward(std::span<const double> params, const LayerPass& pass) {
  const std::size_t lanes = pass.lanes;
  double log_det = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    const double scale = std::exp(params[dim_ + i]);
    for (std::size_t k = 0; k < lanes; ++k) pass.y[i * lanes + k] = params[i] + scale * pass.x[i * lanes + k];
    if (row_length(i) > 0) add_product(by_rows(&params[row(i)], 1, i), lanes, pass.x, pass.y + i * lanes);
    log_det += params[dim_ + i];
  }
  for (std::size_t k = 0; k < lanes; ++k) pass.log_det[k] += log_det;
}

void Affine::backward(std::span<const double> params, const LayerAdjoint& adjoint,
                      std::span<double> params_adjoint) {
  const std::size_t lanes = adjoint.lanes;
  double of_log_det = 0;
  for (std::size_t k = 0; k < lanes; ++k) of_log_det += adjoint.log_det[k];
  for (std::size_t i = 0; i < dim_; ++i) {
    const double scale = std::exp(params[dim_ + i]);
    const double* y = adjoint.y + i * lanes;
    double of_scale = 0;
    add_outer({1, 1, y, adjoint.x + i * lanes}, lanes, &of_scale);
    add_row_sums(y, 1, lanes, &params_adjoint[i]);
    params_adjoint[dim_ + i] += scale * of_scale + of_log_det;
    for (std::size_t k = 0; k < lanes; ++k) adjoint.result[i * lanes + k] = scale * y[k];
    if (row_length(i) == 0) continue;
    add_outer({1, i, y, adjoint.x}, lanes, &params_adjoint[row(i)]);
    add_product(transposed(by_rows(&params[row(i)], 1, i)), lanes, y, adjoint.result);
  }
}

// out = L^-T in, from the last row to the first.
void Affine::push_slopes(std::span<const double> params, const LayerSlopes& slopes) {
  const std::size_t lanes = slopes.lanes;
  std::copy(slopes.in, slopes.in + dim_ * lanes, slopes.out);
  sums_.resize(lanes);
  for (std::size_t i = dim_; i-- > 0;) {
    const double inverse = std::exp(-params[dim_ + i]);
    double* out = slopes.out + i * lanes;
    for (std::size_t k = 0; k < lanes; ++k) out[k] *= inverse;
    if (row_length(i) == 0) continue;
    for (std::size_t k = 0; k < lanes; ++k) sums_[k] = -out[k];
    add_product(transposed(by_rows(&params[row(i)], 1, i)), lanes, sums_.data(), slopes.out);
  }
}

void Affine::inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x) {
  sums_.resize(lanes);
  for (std::size_t i = 0; i < dim_; ++i) {
    const double inverse = std::exp(-params[dim_ + i]);
    std::fill(sums_.begin(), sums_.end(), params[i]);
    if (row_length(i) > 0) add_product(by_rows(&params[row(i)], 1, i), lanes, x, sums_.data());
    for (std::size_t k = 0; k < lanes; ++k) x[i * lanes + k] = (y[i * lanes + k] - sums_[k]) * inverse;
  }
}

}  // namespace kullback::infer::flows
