// The score function of the ELBO, Rao-Blackwellised (Ranganath, Gerrish and Blei 2014). Of a family that
// factorises, the gradient to the parameters of factor i is
//   E[(sum of the terms of log p that have coordinates of i - log q_i) s_i]
// for the other terms and factors have mean 0 with s_i. Then regression on the score, with coefficients from
// the other draws.
#include "infer/vi/estimators/control.hpp"

namespace kullback::infer {

namespace {

class RaoBlackwell final : public Estimator {
 public:
  explicit RaoBlackwell(const EstimatorSetting& setting)
      : setting_(setting),
        terms_(*setting.density->terms()),
        factors_(setting.family->factors()),
        draws_(*setting.density, *setting.family) {
    terms_of_factor_.resize(factors_.count);
    for (std::size_t t = 0; t < terms_.count(); ++t) {
      for (const std::uint32_t coordinate : terms_.coordinates(t)) {
        auto& known = terms_of_factor_[factors_.of_coordinate[coordinate]];
        if (known.empty() || known.back() != t) known.push_back(t);
      }
    }
  }

  Bias bias() const override { return Bias::unbiased; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, false);
    if (!result.is_finite) return;
    evaluate_bound(*setting_.objective, {draws_.log_p(), draws_.log_q()}, setting_.noise->sampling(), result,
                   nullptr);
    const std::size_t lanes = draws_.lanes();
    const PointBatch points{lanes, draws_.theta().data()};
    set_signals(lambda, points);
    scores_.resize(lambda.size() * lanes);
    setting_.family->scores(lambda, points, scores_.data());
    for (std::size_t p = 0; p < lambda.size(); ++p) {
      const std::size_t factor = factors_.of_parameter[p];
      result.gradient[p] = regressed_sum(std::span(signals_).subspan(factor * lanes, lanes),
                                         std::span(scores_).subspan(p * lanes, lanes), 1);
    }
  }

 private:
  // Of each factor at each draw, divided by the number of draws.
  void set_signals(std::span<const double> lambda, const PointBatch& points) {
    const std::size_t lanes = points.lanes;
    const std::span<const double> terms = draws_.evaluate_terms(terms_);
    signals_.resize(factors_.count * lanes);
    setting_.family->factor_log_q(lambda, points, signals_.data());
    for (std::size_t i = 0; i < factors_.count; ++i) {
      double* signals = signals_.data() + i * lanes;
      for (std::size_t k = 0; k < lanes; ++k) signals[k] = -signals[k];
      for (const std::size_t t : terms_of_factor_[i]) {
        for (std::size_t k = 0; k < lanes; ++k) signals[k] += terms[t * lanes + k];
      }
      for (std::size_t k = 0; k < lanes; ++k) signals[k] /= static_cast<double>(lanes);
    }
  }

  EstimatorSetting setting_;
  density::Terms& terms_;
  Factors factors_;
  std::vector<std::vector<std::size_t>> terms_of_factor_;
  EvaluatedDraws draws_;
  std::vector<double> signals_;
  std::vector<double> scores_;
};

std::optional<std::string> refuse(const EstimatorSetting& setting) {
  if (auto reason = refuse_controlled_score(setting)) return reason;
  if (!is_elbo(*setting.objective))
    return "only the ELBO is a sum over terms; `--estimator score-cv` takes any objective";
  if (setting.family->factors().count == 0)
    return "the family does not factorise; `--family meanfield` does, and `--estimator score-cv` takes any "
           "family";
  if (setting.density->terms() == nullptr)
    return "the model does not tell its terms; `--estimator score-cv` needs none";
  return std::nullopt;
}

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<RaoBlackwell>(setting);
}

}  // namespace

const EstimatorRecord& rao_blackwell_estimator() {
  static const EstimatorRecord record{
      .name = "rao-blackwell",
      .summary = "the score function factor by factor, with the terms that each has; with regression",
      .citation = "Ranganath, Gerrish and Blei (2014), Black box variational inference, AISTATS.",
      .options = {},
      .refuse = refuse,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
