// A ladder of noise levels (Song, Ermon 2019): alpha = 1, and sigma at the times i / (L - 1) is level L - i
// of a falling list of L; in between it is geometric. Networks are trained at the levels alone.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "deep/diffusion/sdes/one_block.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kLevels = CountOption("levels", 30, "Noise levels, geometric").from(2).to(100'000);
constexpr auto kSigmaMin = NumberOption("sigma_min", 0.01, "The smallest level").above(0);
constexpr auto kSigmaMax = NumberOption("sigma_max", 20, "The largest level").above(0);
constexpr auto kNoiseLevels = TextOption("noise_levels", "The levels themselves, falling: 10,3,1,0.3,0.1");
constexpr const OptionRecord* kOptions[] = {&kLevels, &kSigmaMin, &kSigmaMax, &kNoiseLevels};

class Ladder final : public Sde {
 public:
  explicit Ladder(const std::vector<double>& rising)
      : steps_(static_cast<double>(rising.size()) - 1), highest_(rising.back()) {
    std::vector<double> logs;
    for (const double level : rising) logs.push_back(std::log(level));
    logs_ = torch::tensor(logs, torch::kFloat64);
  }

  Coefficients at(const torch::Tensor& t) const override {
    logs_ = logs_.to(t.device());
    const torch::Tensor index = (t * steps_).floor().clamp(0, steps_ - 1).to(torch::kInt64);
    const torch::Tensor low = logs_.index_select(0, index), high = logs_.index_select(0, index + 1);
    const torch::Tensor slope = (high - low) * steps_;
    const torch::Tensor variance = at::exp(2 * (low + slope * (t - index.to(t.scalar_type()) / steps_)));
    return one_block(torch::zeros_like(t), 2 * slope * variance, torch::ones_like(t), variance);
  }
  double t_min() const override { return 0; }
  std::vector<double> prior_variance() const override { return {highest_ * highest_ + 1}; }
  torch::Tensor training_time(const torch::Tensor& uniform) const override {
    return (uniform * (steps_ + 1)).floor() / steps_;
  }

 private:
  double steps_, highest_;
  mutable torch::Tensor logs_;  // rising, on the device of the times that were asked for last
};

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = 0;
    const auto [stop, status] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (status != std::errc() || stop != text.data() + end || !(value > 0))
      throw Error(ErrorKind::usage, fmt::format("--noise-levels is '{}'; it must be numbers above 0.", text),
                  "Write --noise-levels 10,3,1,0.3,0.1.");
    numbers.push_back(value);
    begin = end + 1;
  }
  return numbers;
}

std::vector<double> levels_of(const OptionValues& values) {
  if (const auto levels = values.given(kNoiseLevels)) return numbers_of(std::string(*levels));
  const std::size_t count = values[kLevels];
  const double low = values[kSigmaMin], high = values[kSigmaMax];
  std::vector<double> levels;
  for (std::size_t i = 0; i < count; ++i)
    levels.push_back(high * std::pow(low / high, static_cast<double>(i) / static_cast<double>(count - 1)));
  return levels;
}

std::unique_ptr<Sde> make(const OptionValues& values) {
  const std::vector<double> levels = levels_of(values);
  if (levels.size() < 2)
    throw Error(ErrorKind::usage, "a ladder needs two noise levels or more.",
                "Write --noise-levels 10,3,1,0.3,0.1.");
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i] < levels[i - 1]) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("noise level {} is {} after {}; the levels must fall.", i + 1, levels[i], levels[i - 1]),
        "Write the largest first, and each once.");
  }
  return std::make_unique<Ladder>(std::vector<double>(levels.rbegin(), levels.rend()));
}

}  // namespace

extern const SdeRecord k_ladder;
const SdeRecord k_ladder = {.name = "ladder",
                            .summary = "Some levels of added noise, as of noise-conditional score networks",
                            .options = kOptions,
                            .make = make};

}  // namespace kullback::deep::diffusion
