// Minus D_f = E_q[f(u)], u = p / (Z q). The evidence Z is not known; its estimate from the same draws, the
// mean of p / q, takes its place and counts as a constant. The gradient is then that of the divergence up to
// a factor where f(c t) = a(c) f(t) + b(c) + d(c) t, as E_q[u] = 1 whatever q is; equivalently c^2 f''(c t) =
// a(c) f''(t): f'' is a power. With a ratio of means over K draws the bias is of order 1 / K.
//   dF / d log p = -f'(u) u / K = -dF / d log q,  d2F / d log q d log p = (f''(u) u^2 + f'(u) u) / K
// The doubly reparameterised gradient has the weights f''(u) u^2 / K >= 0 for a convex f.
#include "infer/vi/f_divergence.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/power_mean.hpp"

namespace kullback::infer {

namespace {

double curvature(const DivergenceFunction& f, double t) { return f(Jet(t, 0, 1, 0, 0)).q_q; }

class FObjective final : public Objective {
 public:
  FObjective(DivergenceFunction f, std::size_t draws) : f_(std::move(f)), draws_(draws) {}

  std::size_t draws() const override { return draws_; }
  Bias bias() const override { return Bias::consistent; }
  double sign() const override { return -1; }
  // f grows as t^a, up to constants and multiples of t, where f'' goes as t^(a - 2).
  double power() const override {
    const double a = 2 + std::log(curvature(f_, 2) / curvature(f_, 1)) / std::log(2.0);
    return a > 1 + 1e-9 || a < -1e-9 ? a : 0;
  }

  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::vector<Jet> each = functions(logs);
    double sum = 0;
    for (const Jet& f : each) sum -= f.value / static_cast<double>(each.size());
    if (slopes == nullptr) return sum;
    slopes->p.clear();
    slopes->q.clear();
    slopes->q_p.clear();
    slopes->q_q.clear();
    for (const Jet& f : each) {
      const double share = -1 / static_cast<double>(each.size());
      slopes->p.push_back(share * f.p);
      slopes->q.push_back(share * f.q);
      slopes->q_p.push_back(share * f.q_p);
      slopes->q_q.push_back(share * f.q_q);
    }
    return sum;
  }

  void signals(const DrawLogs& logs, double, std::span<double> result) const override {
    const std::vector<Jet> each = functions(logs);
    for (std::size_t k = 0; k < each.size(); ++k)
      result[k] = -each[k].value / static_cast<double>(each.size());
  }

  void value_without(const DrawLogs& logs, std::span<double> result) const override {
    signals(logs, 0, result);
    double sum = 0;
    for (const double signal : result) sum += signal;
    for (double& signal : result) signal = (sum - signal) / static_cast<double>(result.size() - 1);
  }

 private:
  std::vector<Jet> functions(const DrawLogs& logs) const {
    std::vector<double> x(logs.log_p.size());
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = logs.log_p[k] - logs.log_q[k];
    const double log_evidence = log_power_mean(x, 1, {});
    std::vector<Jet> result;
    for (const double ratio : x) result.push_back(f_(exp(Jet(ratio - log_evidence, 1, -1, 0, 0))));
    return result;
  }

  DivergenceFunction f_;
  std::size_t draws_;
};

}  // namespace

bool needs_no_evidence(const DivergenceFunction& f) {
  for (const double scale : {0.3, 4.0}) {
    double first = 0;
    for (const double t : {0.05, 0.4, 1.0, 2.5, 20.0}) {
      const double ratio = curvature(f, scale * t) / curvature(f, t);
      if (first == 0) first = ratio;
      if (!(std::abs(ratio - first) <= 1e-8 * std::abs(first))) return false;
    }
  }
  return true;
}

std::unique_ptr<Objective> make_f_objective(DivergenceFunction f, std::size_t draws) {
  if (!needs_no_evidence(f))
    throw Error(
        ErrorKind::usage,
        "the best approximation by this f depends on the evidence, which is not known: f'' is no power.",
        "Powers, logarithms and t log t need no evidence.");
  if (draws < 2) throw Error(ErrorKind::usage, "an f-divergence needs 2 draws or more.", "Take 64.");
  return std::make_unique<FObjective>(std::move(f), draws);
}

}  // namespace kullback::infer
