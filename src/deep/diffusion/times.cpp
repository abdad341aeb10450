// d log(sigma / alpha) / dt = G^2 / (2 sigma^2): the density of t is that of the log ratio times this. Normal
// log ratios are cut off at the ends of their range.
#include "deep/diffusion/times.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "deep/part.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kEntries = 8193;
constexpr double kMean = -0.5, kSd = 1.2;

}  // namespace

void check_times(TimesKind times, const std::string& sde) {
  const bool is_by_ratio = times == TimesKind::log_ratio || times == TimesKind::lognormal;
  if (is_by_ratio && (sde == "cld" || sde == "ladder" || sde == "ddpm" || sde == "learned"))
    throw Error(ErrorKind::usage, fmt::format("--times {} is not for --sde {}.", text_of(kTimes, times), sde),
                "Leave out --times.");
}

// Times are denser near t_min, where the log ratio is steep.
RatioTable::RatioTable(const Sde& sde) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor part = torch::linspace(0, 1, kEntries, torch::kFloat64);
  times_ = sde.t_min() + (sde.t_max() - sde.t_min()) * part.pow(3);
  const Coefficients at = sde.at(times_);
  const torch::Tensor sigma = at.variance.select(1, 0).select(1, 0).sqrt();
  logs_ = at::log(sigma / at.mean.select(1, 0).select(1, 0)).contiguous();
  low_ = logs_[0].item<double>();
  high_ = logs_[kEntries - 1].item<double>();
}

torch::Tensor RatioTable::time(const torch::Tensor& log_ratio) const {
  times_ = times_.to(log_ratio.device());
  logs_ = logs_.to(log_ratio.device());
  const torch::Tensor inside = log_ratio.clamp(low_, high_).contiguous();
  const torch::Tensor above = at::searchsorted(logs_, inside).clamp(1, kEntries - 1);
  const torch::Tensor below = above - 1;
  const torch::Tensor a = logs_.index_select(0, below), b = logs_.index_select(0, above);
  const torch::Tensor part = (inside - a) / (b - a);
  return at::lerp(times_.index_select(0, below), times_.index_select(0, above), part);
}

DrawnTimes draw_times(const Sde& sde, TimesKind kind, const RatioTable& table, const torch::Tensor& uniform) {
  if (kind == TimesKind::uniform)
    return {.t = sde.training_time(uniform), .inverse = torch::full_like(uniform, sde.t_max() - sde.t_min())};
  const double range = table.high() - table.low();
  torch::Tensor log_ratio, density;
  if (kind == TimesKind::log_ratio) {
    log_ratio = table.low() + range * uniform;
    density = torch::full_like(uniform, 1 / range);
  } else {
    const auto scaled = [](double end) { return std::erf((end - kMean) / (kSd * std::numbers::sqrt2)); };
    const double first = scaled(table.low()), whole = scaled(table.high()) - first;
    const torch::Tensor z =
        at::erfinv((first + whole * uniform).clamp(-1 + 1e-12, 1 - 1e-12)) * std::numbers::sqrt2;
    log_ratio = kMean + kSd * z;
    density = at::exp(z.square() / -2) / (kSd * std::sqrt(2 * std::numbers::pi) * whole / 2);
  }
  const torch::Tensor t = table.time(log_ratio);
  const Coefficients at = sde.at(t);
  const torch::Tensor slope = at.diffusion.flatten() / (2 * at.variance.flatten());
  return {.t = t, .inverse = 1 / (density * slope)};
}

}  // namespace kullback::deep::diffusion
