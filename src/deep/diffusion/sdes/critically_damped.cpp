// Critically damped Langevin dynamics (Dockhorn, Vahdat, Kreis 2022), with a velocity v that alone gets
// noise:
//   dx = beta v / M dt,   dv = -beta (x + Gamma v / M) dt + sqrt(2 Gamma beta) dw,   Gamma^2 = 4 M.
// With A = [[0, 1/M], [-1, -Gamma/M]] and B = beta t: A has the double eigenvalue l = -Gamma / (2 M), so that
// exp(A B) = exp(l B) (1 + (A - l) B). Sigma_inf = diag(1, M) is stationary, and the variance from Sigma_0 is
// Sigma_inf - exp(A B) (Sigma_inf - Sigma_0) exp(A B)^T. A velocity begins as normal noise of variance g M:
// Sigma_0 = diag(0, g M).
#include <cmath>

#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kCldBeta = NumberOption("cld_beta", 4, "Speed of the dynamics").above(0);
constexpr auto kCldMass = NumberOption("cld_mass", 0.25, "Mass of the velocity").above(0);
constexpr auto kCldStart =
    NumberOption("cld_start", 0.04, "Variance of the velocity at the beginning, as a part of its last one")
        .above(0)
        .below(1);

class CriticallyDamped final : public Sde {
 public:
  CriticallyDamped(double beta, double mass, double start)
      : beta_(beta), mass_(mass), start_(start), friction_(2 * std::sqrt(mass)) {}

  std::int64_t blocks() const override { return 2; }

  Coefficients at(const torch::Tensor& t) const override {
    const torch::TensorOptions options = t.options();
    const auto matrix = [&](double a, double b, double c, double d) {
      const auto number = [&](double value) { return torch::full({1}, value, options); };
      return at::cat({number(a), number(b), number(c), number(d)}).view({1, 2, 2});
    };
    const torch::Tensor ones = torch::ones({t.size(0), 1, 1}, options);
    const double eigen = -friction_ / (2 * mass_);
    const torch::Tensor whole = (beta_ * t).view({-1, 1, 1});
    const torch::Tensor drift = matrix(0, 1 / mass_, -1, -friction_ / mass_);
    const torch::Tensor mean =
        at::exp(eigen * whole) * (matrix(1, 0, 0, 1) + matrix(-eigen, 1 / mass_, -1, eigen) * whole);
    const torch::Tensor from_end = matrix(1, 0, 0, mass_ * (1 - start_));
    const torch::Tensor variance =
        matrix(1, 0, 0, mass_) - at::matmul(at::matmul(mean, from_end), mean.transpose(1, 2));
    return {.drift = beta_ * drift * ones,
            .diffusion = matrix(0, 0, 0, 2 * friction_ * beta_) * ones,
            .mean = mean,
            .variance = variance};
  }
  std::vector<double> prior_variance() const override { return {1, mass_}; }

 private:
  double beta_, mass_, start_, friction_;
};

constexpr const OptionRecord* kOptions[] = {&kCldBeta, &kCldMass, &kCldStart};

}  // namespace

extern const SdeRecord k_critically_damped;
const SdeRecord k_critically_damped = {
    .name = "cld",
    .summary = "Critically damped Langevin: noise enters through a velocity",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Sde> {
      return std::make_unique<CriticallyDamped>(values[kCldBeta], values[kCldMass], values[kCldStart]);
    }};

}  // namespace kullback::deep::diffusion
