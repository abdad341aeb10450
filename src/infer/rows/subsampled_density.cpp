#include "infer/rows/subsampled_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/rows/chosen_rows.hpp"

namespace kullback::infer {

using density::Status;

SubsampledDensity::SubsampledDensity(density::LogDensity& density, RowSampler sampler,
                                     std::optional<Anchor> anchor)
    : density_(density), sampler_(std::move(sampler)), anchor_(std::move(anchor)) {}

void SubsampledDensity::evaluate(const density::Batch& batch) {
  message_.clear();
  std::fill_n(batch.log_density, batch.lanes, 0.0);
  std::fill_n(batch.status, batch.lanes, Status::ok);
  if (batch.gradient != nullptr) std::fill_n(batch.gradient, dim() * batch.lanes, 0.0);
  pieces_ = &sampler_.at(static_cast<std::uint32_t>(evaluations_++));
  for (const RowPiece& piece : *pieces_) {
    const ChosenRows chosen(*density_.rows(), piece.rows);
    add_piece(piece, batch);
    if (anchor_) subtract_at_anchor(piece, batch);
    if (leaves_own_unscaled_ && batch.gradient != nullptr) unscale_own(piece, batch);
    row_gradients_ += static_cast<double>(piece.rows.size() * (batch.lanes + (anchor_ ? 1 : 0)));
  }
  if (anchor_) add_anchor(batch);
}

void SubsampledDensity::add_piece(const RowPiece& piece, const density::Batch& batch) {
  const std::size_t lanes = batch.lanes;
  piece_value_.resize(lanes);
  piece_status_.resize(lanes);
  piece_gradient_.resize(batch.gradient == nullptr ? 0 : dim() * lanes);
  density_.evaluate({lanes, batch.theta, piece_value_.data(),
                     batch.gradient == nullptr ? nullptr : piece_gradient_.data(), piece_status_.data()});
  for (std::size_t k = 0; k < lanes; ++k) {
    batch.log_density[k] += piece.weight * piece_value_[k];
    if (piece_status_[k] == Status::ok) continue;
    batch.status[k] = piece_status_[k];
    message_ = density_.message();
  }
  for (std::size_t i = 0; i < piece_gradient_.size(); ++i)
    batch.gradient[i] += piece.weight * piece_gradient_[i];
}

void SubsampledDensity::subtract_at_anchor(const RowPiece& piece, const density::Batch& batch) {
  double value = 0;
  Status status = Status::ok;
  anchor_gradient_.resize(dim());
  density_.evaluate({1, anchor_->theta.data(), &value, anchor_gradient_.data(), &status});
  const std::size_t lanes = batch.lanes;
  for (std::size_t k = 0; k < lanes; ++k) {
    double linear = value;
    for (std::size_t i = 0; i < dim(); ++i)
      linear += anchor_gradient_[i] * (batch.theta[i * lanes + k] - anchor_->theta[i]);
    batch.log_density[k] -= piece.weight * linear;
    for (std::size_t i = 0; batch.gradient != nullptr && i < dim(); ++i)
      batch.gradient[i * lanes + k] -= piece.weight * anchor_gradient_[i];
  }
}

void SubsampledDensity::add_anchor(const density::Batch& batch) const {
  const std::size_t lanes = batch.lanes;
  for (std::size_t k = 0; k < lanes; ++k) {
    double linear = anchor_->log_density;
    for (std::size_t i = 0; i < anchor_->theta.size(); ++i)
      linear += anchor_->gradient[i] * (batch.theta[i * lanes + k] - anchor_->theta[i]);
    batch.log_density[k] += linear;
    for (std::size_t i = 0; batch.gradient != nullptr && i < anchor_->theta.size(); ++i)
      batch.gradient[i * lanes + k] += anchor_->gradient[i];
    if (batch.status[k] == Status::ok && !std::isfinite(batch.log_density[k]))
      batch.status[k] = Status::not_finite;
  }
}

void SubsampledDensity::unscale_own(const RowPiece& piece, const density::Batch& batch) const {
  const double scale = scale_of(piece);
  for (const std::uint32_t row : piece.rows) {
    for (const std::uint32_t i : density_.rows()->coordinates(row)) {
      for (std::size_t k = 0; k < batch.lanes; ++k) batch.gradient[i * batch.lanes + k] /= scale;
    }
  }
}

void SubsampledDensity::archive(Archive& archive) {
  archive.value(evaluations_);
  archive.value(row_gradients_);
}

}  // namespace kullback::infer
