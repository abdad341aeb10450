#include "deep/diffusion/conditioning/method.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "deep/diffusion/records.hpp"

namespace kullback::deep::diffusion {

#define KULLBACK_RESTORE_METHOD(record) extern const MethodRecord record;
#include "deep/diffusion/conditioning/methods.def"
#undef KULLBACK_RESTORE_METHOD

namespace {

// Of draws within their run, and of runs: each sums to 1. Double, on the CPU.
torch::Tensor draw_weights(const Restored& restored) {
  const std::int64_t runs = restored.x.size(0), draws = restored.x.size(1);
  if (!restored.log_weight.defined())
    return torch::full({runs, draws}, 1.0 / static_cast<double>(draws), torch::kFloat64);
  return at::softmax(restored.log_weight, 1).to(torch::kCPU);
}

torch::Tensor run_weights(const Restored& restored) {
  const std::int64_t runs = restored.x.size(0);
  if (!restored.log_evidence.defined())
    return torch::full({runs}, 1.0 / static_cast<double>(runs), torch::kFloat64);
  return at::softmax(restored.log_evidence.to(torch::kCPU, torch::kFloat64), 0);
}

}  // namespace

std::span<const MethodRecord* const> methods() {
  static const std::array kRecords = {
#define KULLBACK_RESTORE_METHOD(record) &record,
#include "deep/diffusion/conditioning/methods.def"
#undef KULLBACK_RESTORE_METHOD
  };
  return kRecords;
}

const MethodRecord& method_named(const std::string& name) { return record_named(methods(), name, "method"); }

std::unique_ptr<Method> make_method(const std::string& name, const OptionValues& values) {
  return method_named(name).make(values);
}

// A ratio of means over runs, sum_r w_r m_r: to first order its variance is sum_r w_r^2 (m_r - m)^2, here
// with the usual factor for a mean that was estimated from as many runs.
Average average(const Restored& restored, const torch::Tensor& values) {
  const torch::Tensor here = values.to(torch::kCPU, torch::kFloat64);
  const torch::Tensor of_run = (draw_weights(restored).unsqueeze(2) * here).sum(1);  // [runs, k]
  const torch::Tensor weight = run_weights(restored).unsqueeze(1);
  const torch::Tensor value = (weight * of_run).sum(0);
  const auto runs = static_cast<double>(here.size(0));
  const double factor = runs > 1 ? runs / (runs - 1) : std::numeric_limits<double>::quiet_NaN();
  return {.value = value, .error = (factor * (weight * (of_run - value)).square().sum(0)).sqrt()};
}

torch::Tensor equal_draws(const Restored& restored, std::int64_t count) {
  const torch::Tensor all = restored.x.flatten(0, 1);
  const bool is_even = !restored.log_weight.defined() && !restored.log_evidence.defined();
  if (is_even && all.size(0) == count) return all;
  const torch::Tensor weight = draw_weights(restored) * run_weights(restored).unsqueeze(1);
  const torch::Tensor index = systematic(at::log(weight).flatten().unsqueeze(0), count);
  return all.index_select(0, index.flatten().to(all.device()));
}

Evidence evidence_of(const Restored& restored) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!restored.log_evidence.defined()) return {kNone, kNone};
  const torch::Tensor logs = restored.log_evidence.to(torch::kCPU, torch::kFloat64);
  const auto runs = static_cast<double>(logs.size(0));
  const torch::Tensor share = at::exp(logs - logs.max());
  return {.log_value = (at::logsumexp(logs, 0) - std::log(runs)).item<double>(),
          .error = runs > 1 ? (share.std() / share.mean() / std::sqrt(runs)).item<double>() : kNone};
}

void refuse_velocity(const Sde& sde) {
  if (sde.blocks() == 1) return;
  throw Error(ErrorKind::usage, "restoring needs a model without a velocity, and this one's --sde is cld.",
              "Train with another --sde, such as vp.");
}

double ratio_of(const Sde& sde, double t) {
  const Level here = level(sde, torch::full({1}, t, torch::kFloat64));
  return (here.sigma / here.alpha).item<double>();
}

std::vector<double> restoring_times(const Sde& sde, std::int64_t steps, const RestoreOptions& options) {
  const double end = std::max(sde.t_min(), time_of_ratio(sde, options.end_noise));
  return time_grid(sde, steps, options.grid, end);
}

bool after_step(const RestoreOptions& options, std::int64_t done, std::int64_t steps) {
  if (options.on_step) options.on_step(done, steps);
  return options.should_stop && options.should_stop();
}

torch::Tensor systematic(const torch::Tensor& log_weight, std::int64_t count) {
  const torch::Tensor upto = at::softmax(log_weight, 1).cumsum(1);
  const torch::Tensor first = torch::rand({log_weight.size(0), 1}, log_weight.options());
  const torch::Tensor at = (first + torch::arange(count, log_weight.options())) / static_cast<double>(count);
  // The last sum may fall short of 1 by rounding.
  return at::searchsorted(upto.contiguous(), (at * upto.select(1, -1).unsqueeze(1)).contiguous())
      .clamp_max(log_weight.size(1) - 1);
}

}  // namespace kullback::deep::diffusion
