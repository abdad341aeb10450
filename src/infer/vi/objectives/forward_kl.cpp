// The forward KL divergence KL(p || q), made small by its gradient -E_p[score] (Bornschein and Bengio 2015,
// reweighted wake-sleep). The expectation under p is that of K draws from q with self-normalised weights
// w_k = (p / q)_k / sum: sum_k w_k score_k, a ratio of means, whose bias falls as 1 / K. Nothing flows
// through the draws. q covers all of p; with few draws and a poor q it is the best draw that is followed.
#include "infer/vi/objectives/weighted_score.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kDefaultDraws = 64;

class ForwardKl final : public Estimator {
 public:
  explicit ForwardKl(const EstimatorSetting& setting)
      : setting_(setting), draws_(*setting.density, *setting.family) {
    if ((*setting.options)[option::kGradDraws] == 0) setting_.draws = kDefaultDraws;
  }

  Bias bias() const override { return Bias::consistent; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, false);
    if (!result.is_finite) return;
    set_forward_bound({draws_.log_p(), draws_.log_q()}, setting_.noise->sampling(), result);
    const std::vector<double> weights = normalised_weights(draws_.log_p(), draws_.log_q());
    setting_.family->score(lambda, {draws_.lanes(), draws_.theta().data()}, weights.data(), result.gradient);
  }

 private:
  EstimatorSetting setting_;
  EvaluatedDraws draws_;
};

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  require_score(*setting.family, "forward-kl");
  return std::make_unique<ForwardKl>(setting);
}

}  // namespace

const ObjectiveRecord& forward_kl_objective() {
  static const ObjectiveRecord record{
      .name = "forward-kl",
      .summary = "KL(p || q) by self-normalised importance weights: mass-covering",
      .citation = "Bornschein and Bengio (2015), Reweighted wake-sleep, ICLR.",
      .options = {},
      .make_estimator = make,
  };
  return record;
}

}  // namespace kullback::infer
