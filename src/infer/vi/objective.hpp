// What variational inference maximises, as a function of the log densities of K draws.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "infer/options.hpp"

namespace kullback::infer {

// Of K draws from q: log p (unnormalised) and log q.
struct DrawLogs {
  std::span<const double> log_p;
  std::span<const double> log_q;
};

// Derivatives of a bound F(log p_1, log q_1, ..., log p_K, log q_K), K numbers each. The second ones are
// those of dF / d log q_k to the logs of the same draw: doubly reparameterised estimators need them.
struct BoundSlopes {
  std::vector<double> p;    // dF / d log p_k
  std::vector<double> q;    // dF / d log q_k
  std::vector<double> q_p;  // d2F / d log q_k d log p_k
  std::vector<double> q_q;  // d2F / d log q_k d log q_k
};

// What the gradient of a pair (objective, estimator) is worth.
enum class Bias : unsigned char {
  unbiased,    // for the objective itself
  finite_k,    // unbiased for the surrogate with K draws: E[F(K draws)]
  consistent,  // biased, the bias vanishes as 1 / K
  quadrature,  // but for the error of a fixed quadrature rule, which more draws do not lessen
};
std::string_view bias_name(Bias bias);

// A bound is to be maximised: an upper bound of the evidence comes with a minus sign (`sign`).
class Objective {
 public:
  virtual ~Objective() = default;

  // Draws that one value needs; 1: it is the mean of a function of single draws, and any number will do.
  virtual std::size_t draws() const { return 1; }
  virtual Bias bias() const { return Bias::unbiased; }
  // F of draws() draws, or of any number where that is 1. Writes the slopes where they are wanted (sizes are
  // set). Weights that vanish (log p = -inf) must not make NaN.
  virtual double value(const DrawLogs& logs, BoundSlopes* slopes) const = 0;
  // Multiplies the value to give what people read: -1 where the objective is minus an upper bound.
  virtual double sign() const { return 1; }
  // value - value_without[k]: what draw k contributes beyond the others, of its own kind: for leave-one-out
  // control variates. value_without[k] must not depend on draw k. By default value() of the other draws.
  virtual void value_without(const DrawLogs& logs, std::span<double> result) const;
  // What the score of draw k is multiplied by, beside dF / d log q_k and before control variates: F itself
  // (`value`), or less where the rest of F counts as a constant.
  virtual void signals(const DrawLogs& logs, double value, std::span<double> result) const;
  // The power of p / q whose mean under q decides whether the bound is finite; 0: it always is.
  virtual double power() const { return 0; }
};

// The same slope to log q at any draws, as in the ELBO: then terms (dF / d log q_k) score_k have mean 0.
bool has_constant_q_slope(const Objective& objective);
bool is_elbo(const Objective& objective);

class Scheme;
struct SchemeSetting;
class Estimator;
struct EstimatorSetting;

struct ObjectiveRecord {
  std::string_view name;     // on the command line: "elbo"
  std::string_view summary;  // one clause
  std::string_view citation = {};
  OptionTable options = {};  // that it reads
  // Throws Error usage for options without sense. Null in objectives that are no bound of this kind, which
  // have one of the next two.
  std::unique_ptr<Objective> (*make)(const Options& options) = nullptr;
  // An estimator of its own: --estimator has no say. `objective` of the setting is null.
  std::unique_ptr<Estimator> (*make_estimator)(const EstimatorSetting& setting) = nullptr;
  // Updates of its own: neither --estimator nor --optimizer has a say.
  std::unique_ptr<Scheme> (*make_scheme)(const SchemeSetting& setting) = nullptr;
};

// In the order of infer/vi/objectives.def.
std::span<const ObjectiveRecord* const> objectives();
// Throws Error usage that lists the names.
const ObjectiveRecord& find_objective(std::string_view name);

}  // namespace kullback::infer
