// The thermodynamic variational objective (Masrani, Le, Wood 2019): with pi_b proportional to
// q(z | x)^(1 - b) p(x, z)^b, log p(x) is the integral over b in [0, 1] of E_{pi_b} log w, bounded from below
// by the left Riemann sum over 0 = b_0 < b_1 < ... < b_P = 1. Draws of q weighted by w^b stand for pi_b. The
// gradient of an expectation is
//   d E_{pi_b} f = E_{pi_b} df + Cov_{pi_b}(f, d log pi_b~),  log pi_b~ = b log p + (1 - b) log q,
// with f = log w and z fixed: no reparameterisation.
#include <cmath>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/vae/objective.hpp"

namespace kullback::deep {

namespace {

class Thermodynamic final : public VaeObjective {
 public:
  Thermodynamic(std::int64_t samples, std::vector<double> points)
      : samples_(samples), points_(std::move(points)) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_, .gradient = DrawGradient::score});
    const torch::Tensor log_joint = terms.log_joint(), log_weight = log_joint - terms.log_q;
    torch::Tensor sum, bound;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      const double width = points_[i + 1] - points_[i];
      const torch::Tensor weight = at::softmax(log_weight.detach() * points_[i], 0);
      const torch::Tensor mean = (weight * log_weight).sum(0);
      const torch::Tensor part =
          mean + covariance(weight, log_weight, mean, points_[i], log_joint, terms.log_q);
      sum = sum.defined() ? sum + width * part : width * part;
      const torch::Tensor value = width * mean.detach();
      bound = bound.defined() ? bound + value : value;
    }
    return {.rows = terms.penalty.defined() ? terms.penalty - sum : -sum, .bound = bound};
  }

 private:
  // Its value is not 0, its gradient is what it is for.
  torch::Tensor covariance(const torch::Tensor& weight, const torch::Tensor& log_weight,
                           const torch::Tensor& mean, double point, const torch::Tensor& log_joint,
                           const torch::Tensor& log_q) const {
    const torch::Tensor log_tempered = point * log_joint + (1 - point) * log_q;
    const torch::Tensor centered = (weight * (log_weight - mean)).detach();
    const double correction = static_cast<double>(samples_) / static_cast<double>(samples_ - 1);
    return correction * (centered * log_tempered).sum(0);
  }

  std::int64_t samples_;
  std::vector<double> points_;
};

// 0, then from the first to 1 with equal ratios.
std::vector<double> points_of(std::size_t partitions, double first) {
  std::vector<double> points = {0};
  for (std::size_t i = 1; i < partitions; ++i) {
    const double left = static_cast<double>(partitions - i) / static_cast<double>(partitions - 1);
    points.push_back(std::exp(std::log(first) * left));
  }
  points.push_back(1);
  return points;
}

constexpr auto kPathSamples =
    CountOption("samples", 50, "Draws of the latent variables of a row").from(2).to(100'000);
constexpr auto kPartitions =
    CountOption("partitions", 2, "Intervals of the integral from 0 to 1").from(1).to(1000);
constexpr auto kPartitionStart =
    NumberOption("partition_start", 0.1, "Where the second interval begins").above(0).below(1);
constexpr const OptionRecord* kOptions[] = {&kPathSamples, &kPartitions, &kPartitionStart};

}  // namespace

extern const VaeObjectiveRecord kTvoObjective;
const VaeObjectiveRecord kTvoObjective{
    .name = "tvo",
    .summary = "the thermodynamic variational objective",
    .use_when = "You want a bound tighter than the ELBO without reparameterised gradients.",
    .citation = "Masrani, Le, Wood 2019, The thermodynamic variational objective",
    .options = kOptions,
    .needs_density = true,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<Thermodynamic>(count_of(values, kPathSamples),
                                             points_of(values[kPartitions], values[kPartitionStart]));
    }};

}  // namespace kullback::deep
