// Where minibatches start: a mode of the density of all rows and a Gaussian around it, for a few evaluations
// of all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/gaussian_guess.hpp"
#include "infer/noise_name.hpp"
#include "infer/optimize/mode.hpp"
#include "infer/rows/subsampled_density.hpp"

namespace kullback::infer {

// The density of some rows, the same at each evaluation.
class SubsetDensity final : public density::LogDensity {
 public:
  SubsetDensity(density::LogDensity& density, std::vector<std::uint32_t> rows)
      : density_(density), rows_(std::move(rows)) {}
  ~SubsetDensity() override { release(); }
  SubsetDensity(const SubsetDensity&) = delete;
  SubsetDensity& operator=(const SubsetDensity&) = delete;

  std::size_t dim() const override { return density_.dim(); }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return density_.message(); }
  std::span<const density::Block> blocks() const override { return density_.blocks(); }
  std::span<const density::Support> supports() const override { return density_.supports(); }

  // The rows stay chosen between evaluations, until they are let go.
  void release();
  std::size_t count() const { return rows_.size(); }
  double row_gradients() const { return row_gradients_; }
  void archive(Archive& archive) { archive.value(row_gradients_); }

 private:
  density::LogDensity& density_;
  std::vector<std::uint32_t> rows_;
  bool is_chosen_ = false;
  double row_gradients_ = 0;
};

// The mode of a random subset of rows, with its curvature P; from there Newton steps P^-1 g with the gradient
// g of all rows, each of which takes away all but a share of about sqrt(dim / rows of the subset) of the way
// to the mode. A step that lowers the density is halved.
class AnchorSearch final {
 public:
  // The subset: of so many rows at least. Not refined, the mode of the subset is the answer, and nothing is
  // evaluated with all rows. `name.purpose` is not read.
  AnchorSearch(density::LogDensity& density, NoiseName name, std::vector<double> start,
               std::size_t least_rows, bool is_refined);

  // False where it has finished: nothing was done.
  bool step();

  // Once it has finished with a Gaussian, refined.
  const Anchor& anchor() const { return anchor_; }
  // The Gaussian with the anchor as mean and the curvature of the subset; false where there is no mode, or
  // there are too many coordinates for its matrix.
  bool has_gaussian() const { return has_gaussian_; }
  const GaussianGuess& guess() const { return guess_; }
  std::uint64_t gradients() const { return gradients_ + (search_ ? search_->gradients() : 0); }
  std::uint64_t full_gradients() const { return gradients_; }
  double row_gradients() const;
  std::size_t subset_rows() const { return subset_.count(); }

  void archive(Archive& archive);

 private:
  void end_subset();
  void newton_step();
  void finish();
  bool evaluate_all(const std::vector<double>& theta, Anchor& result);
  double length_of(const Anchor& at) const;  // of a Newton step, in standard deviations

  density::LogDensity& density_;
  bool is_refined_;
  SubsetDensity subset_;
  std::optional<ModeSearch> search_;
  Anchor anchor_;
  bool has_anchor_ = false;
  double scale_ = 1;  // of the step
  bool has_gaussian_ = false;
  bool is_done_ = false;
  GaussianGuess guess_;
  std::uint64_t gradients_ = 0;  // of all rows
};

}  // namespace kullback::infer
