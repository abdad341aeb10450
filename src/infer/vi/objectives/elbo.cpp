// The evidence lower bound, E_q[log p - log q] (Jordan, Ghahramani, Jaakkola and Saul 1999): the mean over
// draws. The evidence minus it is KL(q || p).
#include "infer/vi/objective.hpp"

namespace kullback::infer {

namespace {

class Elbo final : public Objective {
 public:
  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::size_t count = logs.log_p.size();
    const double share = 1 / static_cast<double>(count);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += logs.log_p[k] - logs.log_q[k];
    if (slopes != nullptr) {
      slopes->p.assign(count, share);
      slopes->q.assign(count, -share);
      slopes->q_p.assign(count, 0);
      slopes->q_q.assign(count, 0);
    }
    return sum * share;
  }
};

std::unique_ptr<Objective> make(const Options&) { return std::make_unique<Elbo>(); }

}  // namespace

const ObjectiveRecord& elbo_objective() {
  static const ObjectiveRecord record{
      .name = "elbo",
      .summary = "the evidence lower bound: KL(q || p), mode-seeking",
      .citation =
          "Jordan, Ghahramani, Jaakkola and Saul (1999), An introduction to variational methods for "
          "graphical models, Machine Learning 37.",
      .options = {},
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
