// AdaDelta (Zeiler 2012): the step is the gradient times the ratio of the running root mean squares of past
// steps and of gradients, so that there is no step size.
#include <algorithm>
#include <cmath>

#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr double kDecay = 0.95;
constexpr double kFloor = 1e-6;

class AdaDelta final : public Optimizer {
 public:
  using Optimizer::step;
  explicit AdaDelta(std::size_t parameters) : square_(parameters), moves_(parameters) {}

  void step(std::span<const double> gradient, double, std::span<double> lambda,
            FrozenParameters frozen) override {
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (is_frozen(frozen, i)) continue;
      square_[i] += (1 - kDecay) * (gradient[i] * gradient[i] - square_[i]);
      const double move = std::sqrt((moves_[i] + kFloor) / (square_[i] + kFloor)) * gradient[i];
      moves_[i] += (1 - kDecay) * (move * move - moves_[i]);
      lambda[i] += move;
    }
  }

  void reset() override {
    std::fill(square_.begin(), square_.end(), 0.0);
    std::fill(moves_.begin(), moves_.end(), 0.0);
  }

  void archive(Archive& archive) override {
    archive.value(square_);
    archive.value(moves_);
  }

 private:
  std::vector<double> square_;
  std::vector<double> moves_;
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t parameters) {
  return std::make_unique<AdaDelta>(parameters);
}

}  // namespace

const OptimizerRecord& adadelta_optimizer() {
  static const OptimizerRecord record{
      .name = "adadelta",
      .summary = "steps in units of its own past steps: no step size",
      .citation = "Zeiler (2012), ADADELTA: an adaptive learning rate method, arXiv:1212.5701.",
      .options = {},
      .has_step_size = false,
      .step_size = 1,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
