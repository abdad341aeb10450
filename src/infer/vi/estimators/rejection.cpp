// Reparameterisation through a rejection sampler (Naesseth, Ruiz, Linderman and Blei 2017). A draw theta =
// h(e, lambda) has noise e whose density pi(e; lambda), that of accepted proposals, depends on lambda. With f
// = log p - log q the gradient of the ELBO is
//   E[(grad f) dh / dlambda] + E[f d log pi(e; lambda) / dlambda],
// e held in both; the explicit derivative of f, minus the score, has mean 0. The second term, the correction,
// is small where few proposals are rejected. The mean of f over the other draws is subtracted from it, which
// leaves its mean and lowers its variance. The noise is recovered from the draw, so that any sampler may have
// made it.
#include "infer/vi/constrained_family.hpp"
#include "infer/vi/estimators/control.hpp"

namespace kullback::infer {

namespace {

class Rejection final : public Estimator {
 public:
  explicit Rejection(const EstimatorSetting& setting)
      : setting_(setting),
        family_(dynamic_cast<ConstrainedFamily&>(*setting.family)),
        draws_(*setting.density, *setting.family) {}

  Bias bias() const override { return Bias::unbiased; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, true);
    if (!result.is_finite) return;
    const std::size_t lanes = draws_.lanes();
    const double share = 1 / static_cast<double>(lanes);
    evaluate_bound(*setting_.objective, {draws_.log_p(), draws_.log_q()}, setting_.noise->sampling(), result,
                   nullptr);
    adjoint_.resize(draws_.theta().size());
    family_.slopes_of_draws(lambda, adjoint_.data());
    for (std::size_t i = 0; i < adjoint_.size(); ++i)
      adjoint_[i] = share * (draws_.gradient()[i] - adjoint_[i]);
    weights_.resize(lanes);
    const double to_others = static_cast<double>(lanes) / static_cast<double>(lanes - 1);
    for (std::size_t k = 0; k < lanes; ++k)
      weights_[k] = share * to_others * (draws_.log_p()[k] - draws_.log_q()[k] - result.bound);
    family_.pull_back_rejection(lambda, adjoint_.data(), weights_.data(), result.gradient);
  }

 private:
  EstimatorSetting setting_;
  ConstrainedFamily& family_;
  EvaluatedDraws draws_;
  std::vector<double> adjoint_;
  std::vector<double> weights_;
};

std::optional<std::string> refuse(const EstimatorSetting& setting) {
  if (dynamic_cast<ConstrainedFamily*>(setting.family) == nullptr)
    return "it is for `--family constrained`, whose draws a rejection sampler could make; `--estimator "
           "reparam` "
           "or "
           "stl is for this one";
  if (!is_elbo(*setting.objective))
    return "it is an estimator of the ELBO's gradient; `--estimator dreg` is for other bounds";
  return refuse_controlled_score(setting);
}

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<Rejection>(setting);
}

}  // namespace

const EstimatorRecord& rejection_estimator() {
  static const EstimatorRecord record{
      .name = "rejection",
      .summary = "through the noise of a rejection sampler: gamma, beta and Dirichlet factors",
      .citation =
          "Naesseth, Ruiz, Linderman and Blei (2017), Reparameterization gradients through "
          "acceptance-rejection "
          "sampling algorithms, AISTATS.",
      .options = {},
      .refuse = refuse,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
