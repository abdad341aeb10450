// Estimators through differentiable draws theta(noise, lambda). With F the bound of the draws' log p and log
// q, s = d log q(theta; lambda) / d lambda at fixed theta, and D theta the derivative of a draw at fixed
// noise:
//   reparam   sum_k [F_p grad log p + F_q grad log q] D theta_k + F_q s_k
//             the whole derivative (Kingma and Welling 2014; Rezende, Mohamed and Wierstra 2014);
//   stl       without the terms F_q s_k: their mean is 0 where F_q does not depend on the draw, as in the
//             ELBO; then the gradient vanishes, draw by draw, where q = p (Roeder, Wu and Duvenaud 2017);
//   dreg      E[F_q s_k] = E[(F_qp grad log p + F_qq grad log q) D theta_k], once more by reparameterisation
//             (Tucker, Lawson, Gu and Maddison 2019, for the importance-weighted bound; here for any F).
// For a mean of single draws dreg keeps F_qp and F_qq too; for the ELBO they are 0 and dreg is stl.
#include <fmt/format.h>

#include "infer/vi/estimators/control.hpp"

namespace kullback::infer {

namespace {

enum class Kind : unsigned char { whole, landing, doubly };

class Reparameterised final : public Estimator {
 public:
  Reparameterised(const EstimatorSetting& setting, Kind kind)
      : setting_(setting), kind_(kind), draws_(*setting.density, *setting.family) {}

  Bias bias() const override {
    const Bias bias = setting_.objective->bias();
    const bool is_surrogate = setting_.family->abilities().log_q_is_surrogate;
    return bias == Bias::unbiased && is_surrogate ? Bias::finite_k : bias;
  }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, true);
    if (!result.is_finite) return;
    evaluate_bound(*setting_.objective, {draws_.log_p(), draws_.log_q()}, setting_.noise->sampling(), result,
                   &slopes_);
    if (kind_ == Kind::whole)
      whole(lambda, result.gradient);
    else
      through_theta(lambda, result.gradient);
  }

 private:
  void whole(std::span<const double> lambda, std::span<double> gradient) {
    const std::size_t lanes = draws_.lanes();
    adjoint_.resize(draws_.theta().size());
    for (std::size_t i = 0; i < adjoint_.size(); ++i)
      adjoint_[i] = slopes_.p[i % lanes] * draws_.gradient()[i];
    setting_.family->pull_back(lambda, {lanes, adjoint_.data(), slopes_.q.data()}, gradient);
  }

  void through_theta(std::span<const double> lambda, std::span<double> gradient) {
    const std::size_t lanes = draws_.lanes();
    adjoint_.resize(draws_.theta().size());
    setting_.family->slopes_of_draws(lambda, adjoint_.data());
    const bool doubly = kind_ == Kind::doubly;
    for (std::size_t first = 0; first < adjoint_.size(); first += lanes) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const double of_p = slopes_.p[k] + (doubly ? slopes_.q_p[k] : 0);
        const double of_q = slopes_.q[k] + (doubly ? slopes_.q_q[k] : 0);
        adjoint_[first + k] = of_p * draws_.gradient()[first + k] + of_q * adjoint_[first + k];
      }
    }
    setting_.family->pull_back(lambda, {lanes, adjoint_.data(), nullptr}, gradient);
  }

  EstimatorSetting setting_;
  Kind kind_;
  EvaluatedDraws draws_;
  BoundSlopes slopes_;
  std::vector<double> adjoint_;
};

template <Kind kind>
std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<Reparameterised>(setting, kind);
}

std::optional<std::string> refuse_whole(const EstimatorSetting& setting) {
  const Abilities abilities = setting.family->abilities();
  if (!abilities.reparameterised)
    return "its draws are not differentiable in its parameters; `--estimator score` needs no such draws";
  if (!abilities.log_q) return "it has no log q; `--objective stein` needs none";
  return std::nullopt;
}

std::optional<std::string> refuse_doubly(const EstimatorSetting& setting) {
  if (auto reason = refuse_whole(setting)) return reason;
  if (!setting.family->abilities().slopes)
    return "the gradient of its log q at a draw is not known; `--estimator reparam` does without";
  return refuse_dependent_draws(setting);
}

// Of the objectives only those whose slope to log q is the same for any draws drop a term of mean 0.
std::optional<std::string> refuse_landing(const EstimatorSetting& setting) {
  if (auto reason = refuse_doubly(setting)) return reason;
  if (has_constant_q_slope(*setting.objective)) return std::nullopt;
  return "the term that sticking the landing drops has no zero mean there; `--estimator dreg` is the form "
         "for "
         "it";
}

}  // namespace

const EstimatorRecord& reparameterised_estimator() {
  static const EstimatorRecord record{
      .name = "reparam",
      .summary = "the derivative through draws that are functions of noise",
      .citation = "Kingma and Welling (2014), Auto-encoding variational Bayes, ICLR.",
      .options = {},
      .refuse = refuse_whole,
      .make = make<Kind::whole>,
  };
  return record;
}

const EstimatorRecord& sticking_the_landing_estimator() {
  static const EstimatorRecord record{
      .name = "stl",
      .summary = "reparam without the score term: no noise where q = p",
      .citation = "Roeder, Wu and Duvenaud (2017), Sticking the landing, NeurIPS.",
      .options = {},
      .refuse = refuse_landing,
      .make = make<Kind::landing>,
  };
  return record;
}

const EstimatorRecord& doubly_reparameterised_estimator() {
  static const EstimatorRecord record{
      .name = "dreg",
      .summary = "the score term reparameterised once more: for bounds of several draws",
      .citation =
          "Tucker, Lawson, Gu and Maddison (2019), Doubly reparameterized gradient estimators for "
          "Monte Carlo objectives, ICLR.",
      .options = {},
      .refuse = refuse_doubly,
      .make = make<Kind::doubly>,
  };
  return record;
}

}  // namespace kullback::infer
