// Polyak's heavy ball: v = 0.9 v + gradient, lambda += step_size * v.
#include <algorithm>
#include <cmath>

#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr double kDecay = 0.9;

class Momentum final : public Optimizer {
 public:
  using Optimizer::step;
  explicit Momentum(std::size_t parameters) : velocity_(parameters) {}

  void step(std::span<const double> gradient, double step_size, std::span<double> lambda,
            FrozenParameters frozen) override {
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (is_frozen(frozen, i)) continue;
      velocity_[i] = kDecay * velocity_[i] + gradient[i];
      lambda[i] += step_size * velocity_[i];
    }
  }

  void reset() override { std::fill(velocity_.begin(), velocity_.end(), 0.0); }

  void archive(Archive& archive) override { archive.value(velocity_); }

 private:
  std::vector<double> velocity_;
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t parameters) {
  return std::make_unique<Momentum>(parameters);
}

}  // namespace

const OptimizerRecord& momentum_optimizer() {
  static const OptimizerRecord record{
      .name = "momentum",
      .summary = "steps along a running sum of gradients",
      .citation =
          "Polyak (1964), Some methods of speeding up the convergence of iteration methods, USSR "
          "Computational Mathematics 4.",
      .options = {},
      .has_step_size = true,
      .step_size = 0.01,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
