#include "infer/vi/objective.hpp"

#include "infer/vi/lookup.hpp"

namespace kullback::infer {

#define KULLBACK_OBJECTIVE(name) const ObjectiveRecord& name##_objective();
#include "infer/vi/objectives.def"
#undef KULLBACK_OBJECTIVE

std::string_view bias_name(Bias bias) {
  switch (bias) {
    case Bias::unbiased: return "unbiased";
    case Bias::finite_k: return "unbiased for the surrogate with K draws";
    case Bias::consistent: return "consistent: its bias vanishes as 1/K";
  }
  return "";
}

void Objective::value_without(const DrawLogs& logs, std::span<double> result) const {
  const std::size_t count = logs.log_p.size();
  std::vector<double> p(logs.log_p.begin() + 1, logs.log_p.end());
  std::vector<double> q(logs.log_q.begin() + 1, logs.log_q.end());
  for (std::size_t k = 0; k < count; ++k) {
    result[k] = value({p, q}, nullptr);
    if (k + 1 == count) break;
    p[k] = logs.log_p[k];  // draw k comes back, draw k + 1 is left out
    q[k] = logs.log_q[k];
  }
}

std::span<const ObjectiveRecord* const> objectives() {
  static const std::vector<const ObjectiveRecord*> all{
#define KULLBACK_OBJECTIVE(name) &name##_objective(),
#include "infer/vi/objectives.def"
#undef KULLBACK_OBJECTIVE
  };
  return all;
}

const ObjectiveRecord& find_objective(std::string_view name) {
  return find_record(objectives(), name, "--objective");
}

}  // namespace kullback::infer
