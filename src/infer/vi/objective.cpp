#include "infer/vi/objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
    case Bias::quadrature: return "unbiased but for the error of a quadrature rule";
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

void Objective::signals(const DrawLogs&, double value, std::span<double> result) const {
  std::fill(result.begin(), result.end(), value);
}

namespace {

// At draws with weights from tiny to huge, since an objective may be made of pieces: as many as it has, or
// some of each kind where it is a mean over any number.
struct Probe {
  std::vector<double> log_p;
  std::vector<double> log_q;
  BoundSlopes slopes;
  double value = 0;
};
constexpr std::array kProbeP{0.3, -1.1, 2.0, 0.4, -30.0, 25.0, 6.0};
constexpr std::array kProbeQ{-0.7, 0.2, 0.9, -0.1, 3.0, -4.0, 1.5};

Probe probe(const Objective& objective) {
  Probe result;
  const std::size_t count = objective.draws() == 1 ? kProbeP.size() : objective.draws();
  for (std::size_t k = 0; k < count; ++k) {
    result.log_p.push_back(kProbeP[k % kProbeP.size()]);
    result.log_q.push_back(kProbeQ[k % kProbeQ.size()]);
  }
  result.value = objective.value({result.log_p, result.log_q}, &result.slopes);
  return result;
}

bool has_constant_q_slope(const Probe& at) {
  for (std::size_t k = 0; k < at.log_p.size(); ++k) {
    if (at.slopes.q_p[k] != 0 || at.slopes.q_q[k] != 0 || at.slopes.q[k] != at.slopes.q[0]) return false;
  }
  return true;
}

}  // namespace

bool has_constant_q_slope(const Objective& objective) { return has_constant_q_slope(probe(objective)); }

bool is_elbo(const Objective& objective) {
  const Probe at = probe(objective);
  if (!has_constant_q_slope(at)) return false;
  const auto count = static_cast<double>(at.log_p.size());
  double mean = 0;
  for (std::size_t k = 0; k < at.log_p.size(); ++k) {
    mean += (at.log_p[k] - at.log_q[k]) / count;
    if (std::abs(at.slopes.p[k] * count - 1) > 1e-12 || std::abs(at.slopes.q[k] * count + 1) > 1e-12)
      return false;
  }
  return std::abs(at.value - mean) < 1e-12;
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
