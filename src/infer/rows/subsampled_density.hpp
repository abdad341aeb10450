// A density by minibatches of its rows: every evaluation sees other rows, and is unbiased for the density of
// all rows, value and gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/rows/row_sampler.hpp"

namespace kullback::infer {

// A point at which value and gradient of all rows are known.
struct Anchor {
  std::vector<double> theta;
  double log_density = 0;
  std::vector<double> gradient;
};

// With f_B the density of a minibatch. Plain: f_B(theta). With an anchor a as control variate:
//   f_B(theta) - f_B(a) - (theta - a)' grad f_B(a)  +  f(a) + (theta - a)' grad f(a),
// whose gradient is grad f_B(theta) - grad f_B(a) + grad f(a). The noise of rows that is left is of second
// order in theta - a: over a posterior of N rows around its mode, with coordinates in its standard
// deviations, of order 1 / sqrt(B), where that of the plain gradient is of order sqrt(N / B).
class SubsampledDensity final : public density::LogDensity {
 public:
  // The density must have rows, and outlive the object; after each evaluation all of its rows are chosen.
  SubsampledDensity(density::LogDensity& density, RowSampler sampler, std::optional<Anchor> anchor = {});

  std::size_t dim() const override { return density_.dim(); }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return message_; }
  std::span<const density::Block> blocks() const override { return density_.blocks(); }
  std::span<const density::Support> supports() const override { return density_.supports(); }
  density::Rows* rows() override { return density_.rows(); }

  // From now on gradients to coordinates that belong to drawn rows are those of the rows' terms, not scaled
  // to all rows.
  void leave_own_unscaled() { leaves_own_unscaled_ = true; }
  // What the terms of a piece's rows are multiplied by.
  double scale_of(const RowPiece& piece) const {
    return piece.weight * static_cast<double>(sampler_.rows()) / static_cast<double>(piece.rows.size());
  }

  bool has_anchor() const { return anchor_.has_value(); }
  std::size_t batch_size() const { return sampler_.size(); }
  // Of the last evaluation.
  const std::vector<RowPiece>& last_pieces() const { return *pieces_; }
  // Rows so far, times points: N of them are the work of one evaluation of all rows.
  double row_gradients() const { return row_gradients_; }
  std::uint64_t evaluations() const { return evaluations_; }

  void archive(Archive& archive);

 private:
  void add_piece(const RowPiece& piece, const density::Batch& batch);
  void subtract_at_anchor(const RowPiece& piece, const density::Batch& batch);
  void add_anchor(const density::Batch& batch) const;
  void unscale_own(const RowPiece& piece, const density::Batch& batch) const;

  density::LogDensity& density_;
  RowSampler sampler_;
  std::optional<Anchor> anchor_;
  bool leaves_own_unscaled_ = false;
  const std::vector<RowPiece>* pieces_ = nullptr;
  std::uint64_t evaluations_ = 0;
  double row_gradients_ = 0;
  std::string message_;
  std::vector<double> piece_value_;
  std::vector<double> piece_gradient_;
  std::vector<density::Status> piece_status_;
  std::vector<double> anchor_gradient_;  // of the minibatch
};

}  // namespace kullback::infer
