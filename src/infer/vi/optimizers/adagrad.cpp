// AdaGrad (Duchi, Hazan and Singer 2011): lambda += step_size * gradient / sqrt(sum of squared gradients).
#include <algorithm>
#include <cmath>

#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr double kFloor = 1e-8;

class AdaGrad final : public Optimizer {
 public:
  using Optimizer::step;
  explicit AdaGrad(std::size_t parameters) : squares_(parameters) {}

  void step(std::span<const double> gradient, double step_size, std::span<double> lambda,
            FrozenParameters frozen) override {
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (is_frozen(frozen, i)) continue;
      squares_[i] += gradient[i] * gradient[i];
      lambda[i] += step_size * gradient[i] / (std::sqrt(squares_[i]) + kFloor);
    }
  }

  void reset() override { std::fill(squares_.begin(), squares_.end(), 0.0); }

  void archive(Archive& archive) override { archive.value(squares_); }

 private:
  std::vector<double> squares_;
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t parameters) {
  return std::make_unique<AdaGrad>(parameters);
}

}  // namespace

const OptimizerRecord& adagrad_optimizer() {
  static const OptimizerRecord record{
      .name = "adagrad",
      .summary = "steps that shrink with the sum of squared gradients",
      .citation = "Duchi, Hazan and Singer (2011), Adaptive subgradient methods, JMLR 12.",
      .options = {},
      .has_step_size = true,
      .step_size = 0.3,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
