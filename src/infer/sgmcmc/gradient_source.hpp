// Gradients of the log density from minibatches, with control variates, or from all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/options.hpp"
#include "infer/vi/schemes/minibatches.hpp"

namespace kullback::infer {

class GradientSource final {
 public:
  // Throws Error usage for a batch size or an anchor that the density has no rows for.
  GradientSource(density::LogDensity& density, const Options& options, NoiseName name);

  bool has_minibatches() const { return batches_.has_value(); }
  bool is_anchored() const { return is_anchored_; }
  std::size_t rows() const { return batches_ ? batches_->rows() : 0; }
  std::size_t batch_size() const { return batches_ ? batches_->size() : 0; }
  // Some coordinates belong to single rows.
  bool has_row_coordinates() const { return !owned_.empty(); }
  bool is_shared(std::size_t i) const { return is_own_.empty() || !is_own_[i]; }
  // Why there are no minibatches, where nobody asked for them.
  const std::string& why_no_minibatches() const { return why_not_; }

  // The gradient of all rows at the anchor, once; nothing where there is none.
  void set_anchor(const std::vector<double>& theta);
  // At theta with minibatch `index`; false where it is not finite. Coordinates that belong to rows that are
  // not in the minibatch are 0; those of its rows are exact.
  bool at(std::uint32_t index, const std::vector<double>& theta, std::vector<double>& gradient);
  // The Hessian times v, with the rows of the last at(); false where it is not finite.
  bool hessian_times(const std::vector<double>& theta, std::span<const double> v,
                     std::vector<double>& result);
  // The coordinates that the last at() has gradients of; null: all.
  const std::vector<std::uint32_t>* active() const { return has_active_ ? &active_ : nullptr; }
  // Evaluations see all rows until the next at().
  void see_all();

  std::uint64_t full_gradients() const { return full_gradients_; }
  std::uint64_t minibatch_gradients() const { return minibatch_gradients_; }
  // In units of a gradient of all rows.
  std::uint64_t cost() const;

  void archive(Archive& archive);

 private:
  void find_rows(const Options& options, const NoiseName& name);
  void find_row_coordinates();
  void choose(std::uint32_t index);
  void subtract_anchor(std::span<const double> gradients, std::vector<double>& gradient) const;
  void unscale_own(std::vector<double>& gradient) const;

  density::LogDensity& density_;
  density::Rows* rows_ = nullptr;
  std::optional<Minibatches> batches_;
  std::string why_not_;
  bool is_anchored_ = false;
  std::vector<std::vector<std::uint32_t>> owned_;  // by row: coordinates of its own; empty: there are none
  std::vector<bool> is_own_;                       // by coordinate, where there are
  std::vector<std::uint32_t> shared_;              // the others
  std::vector<std::uint32_t> chosen_;              // rows
  std::vector<std::uint32_t> active_;
  std::vector<std::uint32_t> active_own_;
  bool has_active_ = false;
  std::vector<double> anchor_;
  std::vector<double> anchor_gradient_;
  std::uint64_t full_gradients_ = 0;
  std::uint64_t minibatch_gradients_ = 0;
};

}  // namespace kullback::infer
