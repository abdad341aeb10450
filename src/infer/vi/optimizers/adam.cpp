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

  void step(std::span<const double> gradient, double step_size, std::span<double> lambda) override {
    ++steps_;
    const auto power = static_cast<double>(steps_);
    const double mean_scale = 1 / (1 - std::pow(kMeanDecay, power));
    const double square_scale = 1 / (1 - std::pow(kSquareDecay, power));
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      mean_[i] += (1 - kMeanDecay) * (gradient[i] - mean_[i]);
      square_[i] += (1 - kSquareDecay) * (gradient[i] * gradient[i] - square_[i]);
      lambda[i] += step_size * mean_scale * mean_[i] / (std::sqrt(square_scale * square_[i]) + kFloor);
    }
  }

  void reset() override {
    steps_ = 0;
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(square_.begin(), square_.end(), 0.0);
  }

  void archive(Archive& archive) override {
    archive.value(steps_);
    archive.value(mean_);
    archive.value(square_);
  }

 private:
  std::uint64_t steps_ = 0;
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
