#include "infer/vi/estimators/control.hpp"

#include <fmt/format.h>

#include "infer/vi/options.hpp"

namespace kullback::infer {

double regressed_sum(std::span<const double> signals, std::span<const double> scores, std::size_t group) {
  double products = 0;
  double squares = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    products += signals[k] * scores[k] * scores[k];
    squares += scores[k] * scores[k];
  }
  double sum = 0;
  for (std::size_t first = 0; first < scores.size(); first += group) {
    double own_products = 0;
    double own_squares = 0;
    for (std::size_t k = first; k < first + group; ++k) {
      own_products += signals[k] * scores[k] * scores[k];
      own_squares += scores[k] * scores[k];
    }
    const double others = squares - own_squares;
    const double coefficient = others > 0 ? (products - own_products) / others : 0;
    for (std::size_t k = first; k < first + group; ++k) sum += (signals[k] - coefficient) * scores[k];
  }
  return sum;
}

std::optional<std::string> refuse_score(const EstimatorSetting& setting) {
  const Abilities abilities = setting.family->abilities();
  if (!abilities.log_q)
    return "the family has no log q, whose derivative is the score; `--objective stein` does without";
  if (!abilities.log_q_at)
    return "the family has no log q at a given point, whose derivative is the score; `--estimator reparam` "
           "does "
           "without";
  return refuse_dependent_draws(setting);
}

std::optional<std::string> refuse_dependent_draws(const EstimatorSetting& setting) {
  if (setting.objective->bias() != Bias::finite_k || (*setting.options)[option::kSampling] == "iid")
    return std::nullopt;
  return fmt::format(
      "it holds the other draws of a bound of several while one moves, and --sampling {} makes them depend "
      "on "
      "each other; `--estimator reparam` takes any sampling, `--sampling iid` any estimator",
      (*setting.options)[option::kSampling]);
}

std::optional<std::string> refuse_controlled_score(const EstimatorSetting& setting) {
  if (auto reason = refuse_score(setting)) return reason;
  if ((*setting.options)[option::kSampling] != "iid")
    return fmt::format(
        "its control variates come from other draws, which must be independent; --sampling {} makes them "
        "dependent, `--sampling iid` does not",
        (*setting.options)[option::kSampling]);
  if (setting.draws < 2) return "its control variates come from other draws; --grad-draws 2 or more has them";
  return std::nullopt;
}

}  // namespace kullback::infer
