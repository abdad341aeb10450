// A new objective in a line: the expectation under q of any function of log p and log q.
#pragma once

#include <memory>
#include <utility>

#include "infer/vi/jet.hpp"
#include "infer/vi/objective.hpp"

namespace kullback::infer {

template <class Function>
class ExpectationObjective final : public Objective {
 public:
  explicit ExpectationObjective(Function f) : f_(std::move(f)) {}

  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::size_t count = logs.log_p.size();
    const double share = 1 / static_cast<double>(count);
    if (slopes != nullptr) {
      for (auto* slope : {&slopes->p, &slopes->q, &slopes->q_p, &slopes->q_q}) slope->resize(count);
    }
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const Jet result = f_(Jet(logs.log_p[k], 1, 0, 0, 0), Jet(logs.log_q[k], 0, 1, 0, 0));
      sum += result.value;
      if (slopes == nullptr) continue;
      slopes->p[k] = share * result.p;
      slopes->q[k] = share * result.q;
      slopes->q_p[k] = share * result.q_p;
      slopes->q_q[k] = share * result.q_q;
    }
    return sum * share;
  }

 private:
  Function f_;
};

// E_q[f(log p, log q)], to be maximised. `f` is called with jets (infer/vi/jet.hpp): a generic lambda,
//   [](auto log_p, auto log_q) { return log_p - log_q; }
// The mean of a function of single draws: every estimator of its gradient is unbiased. p has no normalising
// constant, so that a maximiser that does not depend on it needs an f such as a logarithm or a power of p /
// q.
template <class Function>
std::unique_ptr<Objective> make_expectation_objective(Function f) {
  return std::make_unique<ExpectationObjective<Function>>(std::move(f));
}

}  // namespace kullback::infer
