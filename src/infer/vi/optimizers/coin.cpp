// Betting on a coin, coordinate by coordinate (COCOB: Orabona and Tommasi 2017): the gradients g are
// outcomes, the distance from the start is a bet of a share of what was won. With L the largest |g| so far, G
// the sum of |g|, S the sum of g and R the reward,
//   lambda = start + S / (L max(G + L, 100 L)) (L + R),   R = max(R + (lambda - start) g, 0).
// There is no step size, and none is needed: the bet grows exponentially while the coin keeps its side.
#include <algorithm>
#include <cmath>

#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr double kCaution = 100;  // of the first bets, as in the paper

class Coin final : public Optimizer {
 public:
  using Optimizer::step;
  explicit Coin(std::size_t parameters)
      : largest_(parameters), absolute_(parameters), sum_(parameters), reward_(parameters) {}

  void step(std::span<const double> gradient, double, std::span<double> lambda,
            FrozenParameters frozen) override {
    if (start_.empty()) start_.assign(lambda.begin(), lambda.end());
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      if (is_frozen(frozen, i)) continue;
      const double g = gradient[i];
      largest_[i] = std::max(largest_[i], std::abs(g));
      if (largest_[i] == 0) continue;
      absolute_[i] += std::abs(g);
      reward_[i] = std::max(reward_[i] + (lambda[i] - start_[i]) * g, 0.0);
      sum_[i] += g;
      const double scale = largest_[i] * std::max(absolute_[i] + largest_[i], kCaution * largest_[i]);
      lambda[i] = start_[i] + sum_[i] / scale * (largest_[i] + reward_[i]);
    }
  }

  void reset() override {
    start_.clear();
    for (std::vector<double>* values : {&largest_, &absolute_, &sum_, &reward_})
      std::fill(values->begin(), values->end(), 0.0);
  }

  void archive(Archive& archive) override {
    archive.value(start_);
    archive.value(largest_);
    archive.value(absolute_);
    archive.value(sum_);
    archive.value(reward_);
  }

 private:
  std::vector<double> start_;
  std::vector<double> largest_;
  std::vector<double> absolute_;
  std::vector<double> sum_;
  std::vector<double> reward_;
};

std::unique_ptr<Optimizer> make(const Options&, std::size_t parameters) {
  return std::make_unique<Coin>(parameters);
}

}  // namespace

const OptimizerRecord& coin_optimizer() {
  static const OptimizerRecord record{
      .name = "coin",
      .summary = "bets on the sign of each coordinate: no step size",
      .citation =
          "Orabona and Tommasi (2017), Training deep networks without learning rates through coin "
          "betting, NeurIPS.",
      .options = {},
      .has_step_size = false,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
