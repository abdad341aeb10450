// Adam (Kingma and Ba 2015): with running means m of the gradient and v of its square, both corrected for
// their start at 0,
//   lambda += step_size * m / (sqrt(v) + 1e-8).
#include <algorithm>
#include <cmath>

#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.999;
constexpr double kFloor = 1e-8;

class Adam final : public Optimizer {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters), square_(parameters) {}

  using Optimizer::step;
  void step(std::span<const double> gradient, double step_size, std::span<double> lambda,
            FrozenParameters frozen) override {
    ++steps_;
    if (!frozen.empty() && counts_.empty()) counts_.assign(lambda.size(), static_cast<double>(steps_ - 1));
    Scales scales = scales_after(static_cast<double>(steps_));
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (is_frozen(frozen, i)) continue;
      if (!counts_.empty()) scales = scales_after(++counts_[i]);
      mean_[i] += (1 - kMeanDecay) * (gradient[i] - mean_[i]);
      square_[i] += (1 - kSquareDecay) * (gradient[i] * gradient[i] - square_[i]);
      lambda[i] += step_size * scales.mean * mean_[i] / (std::sqrt(scales.square * square_[i]) + kFloor);
    }
  }

  void reset() override {
    steps_ = 0;
    counts_.clear();
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(square_.begin(), square_.end(), 0.0);
  }

  void archive(Archive& archive) override {
    archive.value(steps_);
    archive.value(counts_);
    archive.value(mean_);
    archive.value(square_);
  }

 private:
  // What corrects for the start at 0.
  struct Scales {
    double mean;
    double square;
  };
  static Scales scales_after(double steps) {
    return {1 / (1 - std::pow(kMeanDecay, steps)), 1 / (1 - std::pow(kSquareDecay, steps))};
  }

  std::uint64_t steps_ = 0;
  std::vector<double> counts_;  // by parameter, its own steps; empty as long as none was frozen
  std::vector<double> mean_;
  std::vector<double> square_;
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t parameters) {
  return std::make_unique<Adam>(parameters);
}

}  // namespace

const OptimizerRecord& adam_optimizer() {
  static const OptimizerRecord record{
      .name = "adam",
      .summary = "steps in units of the running root mean square of each coordinate",
      .citation = "Kingma and Ba (2015), Adam: a method for stochastic optimization, ICLR.",
      .options = {},
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
