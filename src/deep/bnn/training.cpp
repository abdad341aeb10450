#include "deep/bnn/training.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kullback::deep {

namespace {

constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 27;  // of the widest layer, of held-out rows

// Rows [groups, batch] of a tensor [groups, rows, ...].
torch::Tensor take_rows(const torch::Tensor& from, const torch::Tensor& rows) {
  if (from.size(0) == 1) return from.squeeze(0).index_select(0, rows.squeeze(0)).unsqueeze(0);
  const torch::Tensor group = torch::arange(from.size(0), rows.options()).unsqueeze(1) * from.size(1);
  std::vector<std::int64_t> shape = from.sizes().vec();
  shape[1] = rows.size(1);
  return from.flatten(0, 1).index_select(0, (rows + group).flatten()).view(shape);
}

torch::Tensor for_each_member(const torch::Tensor& groups, std::int64_t members) {
  return members == 1 ? groups : groups.repeat_interleave(members, 0);
}

}  // namespace

NetRows for_members(const GroupRows& rows, std::int64_t members) {
  return {for_each_member(rows.x, members), for_each_member(rows.y, members)};
}

torch::Tensor PosteriorTrainee::step(const StepContext& context) {
  const GroupRows taken{take_rows(data_.train.x, context.rows), take_rows(data_.train.y, context.rows)};
  return posterior_.step({.rows = for_members(taken, data_.members), .all_rows = rows(), .step = context});
}

void PosteriorTrainee::end_epoch(std::int64_t epoch) {
  posterior_.end_epoch(static_cast<double>(epoch) / static_cast<double>(data_.epochs));
}

double PosteriorTrainee::held_out() {
  if (!data_.held_out.x.defined()) return std::numeric_limits<double>::quiet_NaN();
  const torch::NoGradGuard no_gradient;
  const std::int64_t rows = data_.held_out.x.size(1);
  // Processes may have one member more or less, but cut rows into the same pieces.
  const std::int64_t nets = data_.spread != nullptr ? data_.spread->part().all : groups() * data_.members;
  const std::int64_t each = nets * data_.held_out_draws * net_.net().widest();
  const std::int64_t at_once = std::max<std::int64_t>(1, kNumbersAtOnce / each);
  double sum = 0;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    const torch::Tensor x = data_.held_out.x.narrow(1, first, count);
    const Predictive predictive = posterior_.predict(for_each_member(x, data_.members), data_.held_out_draws);
    const torch::Tensor y = data_.held_out.y.narrow(1, first, count);
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
  const std::string layer =
      net_.net().first_not_finite(net_.split(center), for_each_member(data_.train.x, data_.members));
  return layer.empty() ? layer : "layer " + layer;
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
