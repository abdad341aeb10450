// With f_B the log density of a minibatch B, its rows scaled to all:
//   plain      grad f_B(theta)
//   anchored   grad f_B(theta) - grad f_B(a) + grad f(a)
// The noise of the second falls with the squared distance from the anchor a (Baker, Fearnhead, Fox, Nemeth
// 2019): f_B is evaluated in two lanes.
// A coordinate that belongs to one row has its whole gradient in the minibatches that contain the row: there,
// unscaled, it is exact, and elsewhere the coordinate rests.
#include "infer/sgmcmc/gradient_source.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/sgmcmc/options.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

// Below it all rows cost little more than a minibatch.
constexpr std::size_t kFewRows = 1000;

}  // namespace

GradientSource::GradientSource(density::LogDensity& density, const Options& options, NoiseName name)
    : density_(density) {
  find_rows(options, name);
  if (batches_) find_row_coordinates();
  if (options[option::kSgAnchor] == SgAnchor::mode && !batches_) {
    throw Error(
        ErrorKind::usage,
        "`--sg-anchor mode` takes the noise of minibatches away, and there are none: " + why_not_ + ".",
        "Give --batch-size, or leave --sg-anchor out.");
  }
  is_anchored_ = batches_ && options[option::kSgAnchor] != SgAnchor::none;
}

void GradientSource::find_rows(const Options& options, const NoiseName& name) {
  if (density_.dim() == 0) {
    why_not_ = "the model has no parameters";
    return;
  }
  if (options[option::kBatchSize] == 0) {
    try {
      if (density_.rows() == nullptr) why_not_ = "the model has no rows";
    } catch (const Error& error) {  // a program whose terms mix rows
      if (error.kind() != ErrorKind::bad_input) throw;
      why_not_ = "no rows that enter as terms of their own";
    }
    if (!why_not_.empty()) return;
  }
  const RowSetting setting = rows_for("--batch-size", density_, options);
  const std::size_t count = setting.rows->count();
  if (options[option::kBatchSize] == 0 && count <= kFewRows) {
    why_not_ = std::to_string(count) + " rows are few";
    return;
  }
  if (setting.batch_size == count) {
    why_not_ = "a minibatch of " + std::to_string(count) + " is all rows";
    return;
  }
  rows_ = setting.rows;
  batches_.emplace(name, count, setting.batch_size);
}

void GradientSource::find_row_coordinates() {
  is_own_.assign(density_.dim(), false);
  std::size_t count = 0;
  owned_.resize(rows_->count());
  for (std::size_t row = 0; row < owned_.size(); ++row) {
    const std::span<const std::uint32_t> own = rows_->coordinates(row);
    owned_[row].assign(own.begin(), own.end());
    count += owned_[row].size();
    for (const std::uint32_t i : owned_[row]) is_own_[i] = true;
  }
  if (count == 0) {
    owned_.clear();
    is_own_.clear();
    return;
  }
  for (std::uint32_t i = 0; i < is_own_.size(); ++i) {
    if (!is_own_[i]) shared_.push_back(i);
  }
}

void GradientSource::see_all() {
  if (rows_ != nullptr) rows_->choose({});
}

void GradientSource::choose(std::uint32_t index) {
  chosen_ = batches_->at(index);
  rows_->choose(chosen_);
  has_active_ = has_row_coordinates();
  if (!has_active_) return;
  active_own_.clear();
  for (const std::uint32_t row : chosen_)
    active_own_.insert(active_own_.end(), owned_[row].begin(), owned_[row].end());
  active_ = shared_;
  active_.insert(active_.end(), active_own_.begin(), active_own_.end());
  std::sort(active_.begin(), active_.end());
}

void GradientSource::set_anchor(const std::vector<double>& theta) {
  if (!is_anchored_) return;
  see_all();
  anchor_ = theta;
  anchor_gradient_.assign(theta.size(), 0.0);
  double log_density = 0;
  density::Status status = density::Status::ok;
  density_.evaluate({1, theta.data(), &log_density, anchor_gradient_.data(), &status});
  ++full_gradients_;
  if (status == density::Status::ok) return;
  throw Error(ErrorKind::bad_input, "the density is not finite at the anchor: " + density_.message(),
              "Use `--sg-anchor none`, or other starting values (--init).");
}

// Lanes innermost: theta, then the anchor.
void GradientSource::subtract_anchor(std::span<const double> gradients, std::vector<double>& gradient) const {
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = gradients[2 * i] - gradients[2 * i + 1] + anchor_gradient_[i];
  for (const std::uint32_t i : active_own_) gradient[i] = gradients[std::size_t{2} * i];
}

void GradientSource::unscale_own(std::vector<double>& gradient) const {
  if (!has_active_) return;
  const double share = static_cast<double>(batch_size()) / static_cast<double>(rows());
  std::vector<double> result(gradient.size(), 0.0);
  for (const std::uint32_t i : shared_) result[i] = gradient[i];
  for (const std::uint32_t i : active_own_) result[i] = share * gradient[i];
  gradient.swap(result);
}

bool GradientSource::at(std::uint32_t index, const std::vector<double>& theta,
                        std::vector<double>& gradient) {
  const std::size_t lanes = is_anchored_ ? 2 : 1;
  const std::size_t dim = theta.size();
  gradient.resize(dim);
  double log_density[2] = {0, 0};
  density::Status status[2] = {density::Status::ok, density::Status::ok};
  if (!batches_) {
    ++full_gradients_;
    density_.evaluate({1, theta.data(), log_density, gradient.data(), status});
  } else if (!is_anchored_) {
    choose(index);
    ++minibatch_gradients_;
    density_.evaluate({1, theta.data(), log_density, gradient.data(), status});
  } else {
    choose(index);
    minibatch_gradients_ += lanes;
    std::vector<double> points(dim * lanes);
    std::vector<double> gradients(dim * lanes);
    for (std::size_t i = 0; i < dim; ++i) {
      points[2 * i] = theta[i];
      points[2 * i + 1] = anchor_[i];
    }
    density_.evaluate({lanes, points.data(), log_density, gradients.data(), status});
    subtract_anchor(gradients, gradient);
  }
  unscale_own(gradient);
  return status[0] == density::Status::ok && status[1] == density::Status::ok &&
         std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
}

bool GradientSource::hessian_times(const std::vector<double>& theta, std::span<const double> v,
                                   std::vector<double>& result) {
  constexpr std::uint64_t kEvaluations = 5;  // of differences, as density/log_density.cpp takes them
  (batches_ ? minibatch_gradients_ : full_gradients_) += kEvaluations;
  result.resize(theta.size());
  if (!density_.hessian_times(theta.data(), 1, v.data(), result.data())) return false;
  unscale_own(result);
  return true;
}

std::uint64_t GradientSource::cost() const {
  if (!batches_) return full_gradients_;
  const double share = static_cast<double>(batch_size()) / static_cast<double>(rows());
  return full_gradients_ +
         static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(minibatch_gradients_)));
}

void GradientSource::archive(Archive& archive) {
  archive.value(anchor_);
  archive.value(anchor_gradient_);
  archive.value(full_gradients_);
  archive.value(minibatch_gradients_);
}

}  // namespace kullback::infer
