#include "deep/bnn/training.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kullback::deep {

namespace {

constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 27;  // of the widest layer, of held-out rows

torch::Tensor for_each_member(const torch::Tensor& groups, std::int64_t members) {
  if (members == 1) return groups;
  if (groups.size(0) > 1) return groups.repeat_interleave(members, 0);
  std::vector<std::int64_t> shape = groups.sizes().vec();
  shape[0] = members;
  return groups.expand(shape);
}

}  // namespace

NetRows for_members(const GroupRows& rows, std::int64_t members) {
  return {for_each_member(rows.x, members), for_each_member(rows.y, members)};
}

torch::Tensor PosteriorTrainee::step(const StepContext& context) {
  const GroupRows taken{feed_.take(0, context.rows), feed_.take(1, context.rows)};
  return posterior_.step({.rows = for_members(taken, data_.members), .all_rows = rows(), .step = context});
}

void PosteriorTrainee::end_epoch(std::int64_t epoch) {
  posterior_.end_epoch(static_cast<double>(epoch) / static_cast<double>(data_.epochs));
}

PosteriorTrainee::PosteriorTrainee(const BayesNet& net, Posterior& posterior, Data data)
    : net_(net),
      posterior_(posterior),
      data_(std::move(data)),
      device_(data_.device.value_or(data_.train.x.device())),
      feed_({data_.train.x, data_.train.y}, device_, data_.streams) {}

// Processes that share members may have one more or less, but cut rows into the same pieces.
std::int64_t PosteriorTrainee::rows_at_once(std::int64_t draws) const {
  const std::int64_t nets = data_.spread != nullptr ? data_.spread->part().all : groups() * data_.members;
  return std::max<std::int64_t>(1, kNumbersAtOnce / (nets * draws * net_.net().widest()));
}

double PosteriorTrainee::held_out() {
  if (!data_.held_out.x.defined()) return std::numeric_limits<double>::quiet_NaN();
  const torch::NoGradGuard no_gradient;
  const std::int64_t rows = data_.held_out.x.size(1);
  const std::int64_t at_once = rows_at_once(data_.held_out_draws);
  double sum = 0;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    const torch::Tensor x = data_.held_out.x.narrow(1, first, count).to(device_);
    const Predictive predictive = posterior_.predict(for_each_member(x, data_.members), data_.held_out_draws);
    const torch::Tensor y = data_.held_out.y.narrow(1, first, count).to(device_);
    torch::Tensor figures = log_predictive(predictive, y);
    if (data_.spread != nullptr)
      figures = data_.spread->log_mean_exp(figures[0].to(torch::kCPU, torch::kFloat64));
    sum += figures.mean().item<double>() * static_cast<double>(count);
  }
  return sum / static_cast<double>(rows);
}

std::string PosteriorTrainee::first_not_finite() {
  const torch::Tensor center = posterior_.center();
  const torch::Tensor bad = at::nonzero(at::logical_not(at::isfinite(center).all(0)));
  if (bad.size(0) > 0) return "parameters " + net_.layout().owner(bad[0][0].item<std::int64_t>()).name;
  const std::int64_t at_once = rows_at_once(1);
  for (std::int64_t first = 0; first < rows(); first += at_once) {
    const torch::Tensor x = data_.train.x.narrow(1, first, std::min(at_once, rows() - first)).to(device_);
    const std::string layer =
        net_.net().first_not_finite(net_.split(center), for_each_member(x, data_.members));
    if (!layer.empty()) return "layer " + layer;
  }
  return {};
}

torch::Tensor log_predictive(const Predictive& predictive, const torch::Tensor& y) {
  const bool is_classification = predictive.log_probs.defined();
  const torch::Tensor& any = is_classification ? predictive.log_probs : predictive.mean;
  const std::int64_t groups = y.size(0), members = any.size(0) / groups, draws = members * any.size(1),
                     rows = any.size(2);
  torch::Tensor log_density;
  if (is_classification) {
    const torch::Tensor log_probs = any.reshape({groups, draws, rows, any.size(3)});
    const torch::Tensor index = y.unsqueeze(1).unsqueeze(3).expand({groups, draws, rows, 1});
    log_density = log_probs.gather(3, index).squeeze(3);
  } else {
    const torch::Tensor mean = predictive.mean.reshape({groups, draws, rows});
    const torch::Tensor variance = predictive.variance.reshape({groups, draws, rows});
    log_density = -0.5 * ((y.unsqueeze(1) - mean).square() / variance + at::log(variance) +
                          std::log(2 * std::numbers::pi));
  }
  return at::logsumexp(log_density, 1) - std::log(static_cast<double>(draws));
}

}  // namespace kullback::deep
