// Markovian score climbing of KL(p || q) (Naesseth, Lindsten and Blei 2020). A Markov chain that has p as its
// stationary distribution is kept along the ascent: conditional importance sampling draws K - 1 points from
// q, adds the state z, weights all of them by p / q, and chooses the next state among them by their weights.
// The gradient is the weighted score of all K points (the mean over the choice). At fixed lambda the mean
// over iterations tends to E_p[score] for any K >= 2: no bias of self-normalised weights remains in the
// limit, whereas one step from a given state is off by a term of order 1 / K.
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/vi/objectives/weighted_score.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

class MarkovianScoreClimbing final : public Estimator {
 public:
  explicit MarkovianScoreClimbing(const EstimatorSetting& setting)
      : setting_(setting), draws_(*setting.density, *setting.family) {}

  Bias bias() const override { return Bias::consistent; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override {
    draws_.archive(archive);
    archive.value(state_);
    archive.value(state_log_p_);
  }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    const std::size_t drawn = setting_.draws - (state_.empty() ? 0 : 1);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, drawn, false);
    if (!result.is_finite) return;
    add_state(lambda);
    set_forward_bound({log_p_, log_q_}, Sampling::iid, result);
    if (setting_.noise->sampling() != Sampling::iid)
      result.bound_error = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> weights = normalised_weights(log_p_, log_q_);
    setting_.family->score(lambda, {log_p_.size(), theta_.data()}, weights.data(), result.gradient);
    choose(weights, index);
  }

 private:
  // The points of this iteration: the draws, then the state.
  void add_state(std::span<const double> lambda) {
    const std::size_t dim = setting_.family->dim();
    const std::size_t drawn = draws_.lanes();
    const std::size_t lanes = drawn + (state_.empty() ? 0 : 1);
    theta_.resize(dim * lanes);
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t k = 0; k < drawn; ++k) theta_[i * lanes + k] = draws_.theta()[i * drawn + k];
      if (lanes > drawn) theta_[i * lanes + drawn] = state_[i];
    }
    log_p_.assign(draws_.log_p().begin(), draws_.log_p().end());
    log_q_.assign(draws_.log_q().begin(), draws_.log_q().end());
    if (lanes == drawn) return;
    log_p_.push_back(state_log_p_);
    log_q_.push_back(0);
    setting_.family->evaluate(lambda, {1, state_.data(), &log_q_.back(), nullptr});
  }

  void choose(const std::vector<double>& weights, std::uint32_t index) {
    const NoiseName& name = setting_.noise->name();
    Random random(name.seed, name.chain, static_cast<std::uint32_t>(Purpose::conditional_choice), index);
    double left = random.uniform();
    std::size_t chosen = 0;
    while (chosen + 1 < weights.size() && (left -= weights[chosen]) > 0) ++chosen;
    state_.resize(setting_.family->dim());
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = theta_[i * weights.size() + chosen];
    state_log_p_ = log_p_[chosen];
  }

  EstimatorSetting setting_;
  EvaluatedDraws draws_;
  std::vector<double> state_;  // empty before the first iteration
  double state_log_p_ = 0;
  std::vector<double> theta_;
  std::vector<double> log_p_;
  std::vector<double> log_q_;
};

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  require_score(*setting.family, "msc");
  if (setting.draws < 2)
    throw Error(ErrorKind::usage, "--grad-draws is 1; `--objective msc` needs a draw beside its state.",
                "2 or more will do.");
  if ((*setting.options)[option::kSampling] != "iid")
    throw Error(
        ErrorKind::usage,
        "--sampling " + std::string((*setting.options)[option::kSampling]) +
            " makes draws that depend on each other; the chain of `--objective msc` needs independent ones.",
        "Leave --sampling out.");
  return std::make_unique<MarkovianScoreClimbing>(setting);
}

}  // namespace

const ObjectiveRecord& markovian_score_climbing_objective() {
  static const ObjectiveRecord record{
      .name = "msc",
      .summary = "KL(p || q) along a Markov chain: Markovian score climbing",
      .citation = "Naesseth, Lindsten and Blei (2020), Markovian score climbing, NeurIPS.",
      .options = {},
      .make_estimator = make,
  };
  return record;
}

}  // namespace kullback::infer
