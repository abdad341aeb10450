// Estimators that need neither differentiable draws nor gradients of log p. With s_k = d log q(theta_k) / d
// lambda at fixed theta_k,
//   d E[F] / d lambda = E[sum_k (F + dF / d log q_k) s_k]
// (Williams 1992; Paisley, Blei and Jordan 2012; Ranganath, Gerrish and Blei 2014). Where dF / d log q_k is
// constant, as in the ELBO, its term has mean 0 and is left out. As E[s_k] = 0, anything that does not
// depend on draw k may be taken from what s_k is multiplied by:
//   score      nothing;
//   score-loo  the same of the other draws: their mean for means of single draws (Salimans and Knowles 2014),
//              the bound without draw k for bounds of several (VIMCO, Mnih and Rezende 2016);
//   score-cv   the multiple of the score that regression on it gives, parameter by parameter (Ranganath et
//              al. 2014), from the other draws: their own draw in it would bias the gradient.
#include <cmath>

#include "infer/vi/estimators/control.hpp"

namespace kullback::infer {

namespace {

enum class Control : unsigned char { none, leave_one_out, regression };

class ScoreFunction final : public Estimator {
 public:
  ScoreFunction(const EstimatorSetting& setting, Control control)
      : setting_(setting),
        control_(control),
        drops_slope_(has_constant_q_slope(*setting.objective)),
        draws_(*setting.density, *setting.family) {}

  Bias bias() const override { return setting_.objective->bias(); }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, false);
    if (!result.is_finite) return;
    const DrawLogs logs{draws_.log_p(), draws_.log_q()};
    evaluate_bound(*setting_.objective, logs, setting_.noise->sampling(), result, &slopes_);
    set_signals(logs);
    const PointBatch points{draws_.lanes(), draws_.theta().data()};
    if (control_ == Control::regression)
      regress(lambda, points, result.gradient);
    else
      setting_.family->score(lambda, points, signals_.data(), result.gradient);
  }

 private:
  void set_signals(const DrawLogs& logs) {
    const std::size_t size = setting_.objective->draws();
    const std::size_t count = logs.log_p.size() / size;
    signals_.resize(logs.log_p.size());
    without_.assign(size, 0.0);
    for (std::size_t r = 0; r < count; ++r) {
      const DrawLogs group{logs.log_p.subspan(r * size, size), logs.log_q.subspan(r * size, size)};
      const std::span<double> signals = std::span(signals_).subspan(r * size, size);
      setting_.objective->signals(group, setting_.objective->value(group, nullptr), signals);
      if (control_ != Control::none && size > 1) setting_.objective->value_without(group, without_);
      for (std::size_t k = 0; k < size; ++k) {
        signals[k] = (signals[k] - without_[k]) / static_cast<double>(count);
        if (!drops_slope_) signals[k] += slopes_.q[r * size + k];
      }
    }
    if (control_ == Control::leave_one_out && size == 1) take_mean_of_others();
  }

  void take_mean_of_others() {
    double sum = 0;
    for (const double signal : signals_) sum += signal;
    const auto others = static_cast<double>(signals_.size() - 1);
    for (double& signal : signals_) signal -= (sum - signal) / others;
  }

  void regress(std::span<const double> lambda, const PointBatch& points, std::span<double> gradient) {
    scores_.resize(lambda.size() * points.lanes);
    setting_.family->scores(lambda, points, scores_.data());
    const std::size_t size = setting_.objective->draws();
    const std::size_t group = setting_.objective->bias() == Bias::consistent ? 1 : size;
    for (std::size_t p = 0; p < lambda.size(); ++p) {
      gradient[p] +=
          regressed_sum(signals_, std::span(scores_).subspan(p * points.lanes, points.lanes), group);
    }
  }

  EstimatorSetting setting_;
  Control control_;
  bool drops_slope_;
  EvaluatedDraws draws_;
  BoundSlopes slopes_;
  std::vector<double> signals_;
  std::vector<double> without_;  // of one group
  std::vector<double> scores_;
};

template <Control control>
std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<ScoreFunction>(setting, control);
}

std::optional<std::string> refuse_regression(const EstimatorSetting& setting) {
  if (auto reason = refuse_controlled_score(setting)) return reason;
  const std::size_t size = setting.objective->draws();
  if (setting.objective->bias() == Bias::finite_k && setting.draws < 2 * size)
    return "its coefficients come from other replicates of a bound of " + std::to_string(size) +
           " draws; --grad-draws " + std::to_string(2 * size) +
           " has them, `--estimator score-loo` needs none";
  return std::nullopt;
}

}  // namespace

const EstimatorRecord& score_estimator() {
  static const EstimatorRecord record{
      .name = "score",
      .summary = "the score function: needs no gradient of log p; noisy",
      .citation = "Ranganath, Gerrish and Blei (2014), Black box variational inference, AISTATS.",
      .options = {},
      .refuse = refuse_score,
      .make = make<Control::none>,
  };
  return record;
}

const EstimatorRecord& score_leave_one_out_estimator() {
  static const EstimatorRecord record{
      .name = "score-loo",
      .summary = "the score function with leave-one-out baselines; for bounds of several draws VIMCO",
      .citation = "Mnih and Rezende (2016), Variational inference for Monte Carlo objectives, ICML.",
      .options = {},
      .refuse = refuse_controlled_score,
      .make = make<Control::leave_one_out>,
  };
  return record;
}

const EstimatorRecord& score_regression_estimator() {
  static const EstimatorRecord record{
      .name = "score-cv",
      .summary = "the score function with regression on the score as control variate",
      .citation = "Ranganath, Gerrish and Blei (2014), Black box variational inference, AISTATS.",
      .options = {},
      .refuse = refuse_regression,
      .make = make<Control::regression>,
  };
  return record;
}

}  // namespace kullback::infer
