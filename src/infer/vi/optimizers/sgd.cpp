// Stochastic gradient ascent (Robbins and Monro 1951): lambda += step_size * gradient. With --decay the step
// size falls as Robbins and Monro ask; else in stages (infer/vi/stochastic_ascent.cpp).
#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

class Sgd final : public Optimizer {
 public:
  using Optimizer::step;
  void step(std::span<const double> gradient, double step_size, std::span<double> lambda,
            FrozenParameters frozen) override {
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (!is_frozen(frozen, i)) lambda[i] += step_size * gradient[i];
    }
  }

  void reset() override {}

  void archive(Archive&) override {}
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t) { return std::make_unique<Sgd>(); }

}  // namespace

const OptimizerRecord& sgd_optimizer() {
  static const OptimizerRecord record{
      .name = "sgd",
      .summary = "plain steps along the gradient",
      .citation =
          "Robbins and Monro (1951), A stochastic approximation method, Annals of Mathematical Statistics "
          "22.",
      .options = {},
      .has_step_size = true,
      .step_size = 0.05,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
