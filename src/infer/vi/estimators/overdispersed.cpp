// Draws from a wider q, weighted (Ruiz, Titsias and Blei 2016): the score function is large where q is small,
// and q draws too little there. The noise has the variance tau instead of 1, so that a draw theta(noise)
// comes from q with its tails lifted (for a Gaussian, from that with tau times the covariance), and
//   W = prod_j normal(z_j; 0, 1) / normal(z_j; 0, tau) = tau^(n/2) exp(-(1 - 1 / tau) sum_j z_j^2 / 2)
// weights it back; E[W g(theta)] = E_q[g] for any g. log W has the variance n (tau - 1)^2 / 2: tau - 1 is
// chosen as 1 / sqrt(n). The baseline is the weighted mean over the other draws.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/estimators/control.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kDispersion =
    NumberOption("dispersion", 0, "Variance of overdispersed draws relative to q's")
        .above(0.5)
        .automatic()
        .hinted("Take a number a little above 1, or leave it out; weights have a finite variance above 0.5.");
}  // namespace option

namespace {

class Overdispersed final : public Estimator {
 public:
  explicit Overdispersed(const EstimatorSetting& setting)
      : setting_(setting),
        drops_slope_(has_constant_q_slope(*setting.objective)),
        draws_(*setting.density, *setting.family) {
    const double given = (*setting.options)[option::kDispersion];
    const auto size = static_cast<double>(setting.family->noise());
    tau_ = given > 0 ? given : 1 + 1 / std::sqrt(std::max(size, 1.0));
    noise_.emplace(setting.noise->scaled(std::sqrt(tau_)));
  }

  Bias bias() const override { return Bias::unbiased; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *noise_, index, setting_.draws, false);
    if (!result.is_finite) return;
    set_weights();
    set_signals(result);
    const std::size_t lanes = draws_.lanes();
    double of_all = 0;
    double weight_of_all = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      of_all += weights_[k] * signals_[k];
      weight_of_all += weights_[k];
    }
    for (std::size_t k = 0; k < lanes; ++k) {
      const double others = (of_all - weights_[k] * signals_[k]) / (weight_of_all - weights_[k]);
      adjoint_[k] = weights_[k] * (signals_[k] - others) / static_cast<double>(lanes);
    }
    setting_.family->score(lambda, {lanes, draws_.theta().data()}, adjoint_.data(), result.gradient);
  }

 private:
  void set_weights() {
    const std::size_t lanes = draws_.lanes();
    const std::size_t size = noise_->size();
    weights_.assign(lanes, 0.0);
    adjoint_.resize(lanes);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const double z = draws_.noise()[i * lanes + k];
        weights_[k] += 0.5 * std::log(tau_) - 0.5 * (1 - 1 / tau_) * z * z;
      }
    }
    for (double& weight : weights_) weight = std::exp(weight);
  }

  // f + df / d log q of each draw, and the bound: the weighted mean of f.
  void set_signals(Estimate& result) {
    const std::size_t lanes = draws_.lanes();
    signals_.resize(lanes);
    double sum = 0;
    double weight_sum = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double f =
          setting_.objective->value({draws_.log_p().subspan(k, 1), draws_.log_q().subspan(k, 1)}, &slopes_);
      signals_[k] = f + (drops_slope_ ? 0 : slopes_.q[0]);
      sum += weights_[k] * f;
      weight_sum += weights_[k];
      adjoint_[k] = f;
    }
    result.bound = sum / weight_sum;
    const double scale = static_cast<double>(lanes) / weight_sum;
    for (std::size_t k = 0; k < lanes; ++k) adjoint_[k] = scale * weights_[k] * (adjoint_[k] - result.bound);
    result.bound_error = error_of_mean(adjoint_, setting_.noise->sampling());
  }

  EstimatorSetting setting_;
  bool drops_slope_;
  EvaluatedDraws draws_;
  double tau_ = 1;
  std::optional<NoiseSource> noise_;
  BoundSlopes slopes_;
  std::vector<double> weights_;
  std::vector<double> signals_;
  std::vector<double> adjoint_;
};

std::optional<std::string> refuse(const EstimatorSetting& setting) {
  if (auto reason = refuse_controlled_score(setting)) return reason;
  if (setting.objective->draws() != 1)
    return "weighted draws make means of single draws only; `--estimator score-loo` takes bounds of several";
  return std::nullopt;
}

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<Overdispersed>(setting);
}

constexpr const OptionRecord* kOptions[] = {&option::kDispersion};

}  // namespace

const EstimatorRecord& overdispersed_estimator() {
  static const EstimatorRecord record{
      .name = "overdispersed",
      .summary = "the score function at weighted draws from a wider q",
      .citation = "Ruiz, Titsias and Blei (2016), Overdispersed black-box variational inference, UAI.",
      .options = kOptions,
      .refuse = refuse,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
