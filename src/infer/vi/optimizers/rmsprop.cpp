// RMSProp (Tieleman and Hinton 2012): lambda += step_size * gradient / sqrt(running mean of its square).
#include <algorithm>
#include <cmath>

#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr double kDecay = 0.9;
constexpr double kFloor = 1e-8;

class RmsProp final : public Optimizer {
 public:
  using Optimizer::step;
  explicit RmsProp(std::size_t parameters) : square_(parameters) {}

  void step(std::span<const double> gradient, double step_size, std::span<double> lambda,
            FrozenParameters frozen) override {
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (is_frozen(frozen, i)) continue;
      square_[i] += (1 - kDecay) * (gradient[i] * gradient[i] - square_[i]);
      lambda[i] += step_size * gradient[i] / (std::sqrt(square_[i]) + kFloor);
    }
  }

  void reset() override { std::fill(square_.begin(), square_.end(), 0.0); }

  void archive(Archive& archive) override { archive.value(square_); }

 private:
  std::vector<double> square_;
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t parameters) {
  return std::make_unique<RmsProp>(parameters);
}

}  // namespace

const OptimizerRecord& rmsprop_optimizer() {
  static const OptimizerRecord record{
      .name = "rmsprop",
      .summary = "steps in units of the running root mean square, without momentum",
      .citation = "Tieleman and Hinton (2012), Lecture 6.5: RMSProp, COURSERA.",
      .options = {},
      .has_step_size = true,
      .step_size = 0.05,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
