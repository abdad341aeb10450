// F = log(mean_k w_k^c) / c, w = p / q, is the importance-weighted bound for c = 1, the Renyi bound of order
// alpha for c = 1 - alpha, CUBO of order n for c = n, the ELBO for c = 0. With the shares v_k = w_k^c / sum:
//   dF / d log p_k = v_k = -dF / d log q_k,  d2F / d log q_k d log p_k = -c v_k (1 - v_k) = -d2F / d log
//   q_k^2
// and the doubly reparameterised gradient is sum_k (v_k - c v_k (1 - v_k)) grad log w_k . D theta_k, whose
// weights are not negative for c <= 1.
//
// For c > 1, F is minimised, and the same weights would be positive for some draws, negative for others: with
// few draws, or one that has nearly all the weight, F hardly differs from the ELBO, which must not be
// minimised. There the gradient is that of the exponentiated bound E_q[w^c] (Dieng et al. 2017), divided by
// the mean of w^c, which counts as a constant: d2F loses its term v_k^2, and the weights of minus F are
// (c - 1) v_k, none of them negative. A ratio of means over K draws: consistent for the gradient of the bound
// itself, with a bias of order 1 / K. The score function sees the same form: signal -v_k / c, slope v_k.
//
// Leave-one-out for c <= 1: F with the k-th weight replaced by the geometric mean of the others (VIMCO, Mnih
// and Rezende 2016).
#include "infer/vi/objectives/power_bound.hpp"

#include "infer/vi/power_mean.hpp"

namespace kullback::infer {

namespace {

std::vector<double> log_ratios(const DrawLogs& logs) {
  std::vector<double> result(logs.log_p.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = logs.log_p[k] - logs.log_q[k];
  return result;
}

// c <= 1, more than one draw: with one draw it is the ELBO.
class LowerBound final : public Objective {
 public:
  explicit LowerBound(PowerBoundName name) : draws_(name.draws), power_(name.power) {}

  std::size_t draws() const override { return draws_; }
  Bias bias() const override { return Bias::finite_k; }
  double power() const override { return power_ == 1 ? 0 : power_; }  // the mean of p / q is the evidence

  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::vector<double> x = log_ratios(logs);
    if (slopes == nullptr) return log_power_mean(x, power_, {});
    slopes->p.resize(x.size());
    const double result = log_power_mean(x, power_, slopes->p);
    slopes->q.resize(x.size());
    slopes->q_p.resize(x.size());
    slopes->q_q.resize(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double share = slopes->p[k];
      slopes->q[k] = -share;
      slopes->q_q[k] = power_ * share * (1 - share);
      slopes->q_p[k] = -slopes->q_q[k];
    }
    return result;
  }

  void value_without(const DrawLogs& logs, std::span<double> result) const override {
    std::vector<double> x = log_ratios(logs);
    double sum = 0;
    for (const double value : x) sum += value;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double own = x[k];
      x[k] = (sum - own) / static_cast<double>(x.size() - 1);
      result[k] = log_power_mean(x, power_, {});
      x[k] = own;
    }
  }

 private:
  std::size_t draws_;
  double power_;
};

class SingleDraw final : public Objective {
 public:
  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::vector<double> x = log_ratios(logs);
    const double share = 1 / static_cast<double>(x.size());
    if (slopes != nullptr) {
      slopes->p.assign(x.size(), share);
      slopes->q.assign(x.size(), -share);
      slopes->q_p.assign(x.size(), 0);
      slopes->q_q.assign(x.size(), 0);
    }
    return log_power_mean(x, 0, {});
  }
};

class UpperBound final : public Objective {
 public:
  explicit UpperBound(PowerBoundName name) : draws_(name.draws), power_(name.power) {}

  std::size_t draws() const override { return draws_; }
  Bias bias() const override { return Bias::consistent; }
  double sign() const override { return -1; }
  double power() const override { return power_; }

  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::vector<double> x = log_ratios(logs);
    if (slopes == nullptr) return -log_power_mean(x, power_, {});
    slopes->q.resize(x.size());
    const double bound = log_power_mean(x, power_, slopes->q);
    slopes->p.resize(x.size());
    slopes->q_p.resize(x.size());
    slopes->q_q.resize(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      slopes->p[k] = -slopes->q[k];
      slopes->q_p[k] = power_ * slopes->q[k];
      slopes->q_q[k] = -slopes->q_p[k];
    }
    return -bound;
  }

  void signals(const DrawLogs& logs, double, std::span<double> result) const override {
    log_power_mean(log_ratios(logs), power_, result);
    for (double& signal : result) signal /= -power_;
  }

  void value_without(const DrawLogs& logs, std::span<double> result) const override {
    signals(logs, 0, result);
    for (double& signal : result)  // they sum to -1 / c
      signal = (-1 / power_ - signal) / static_cast<double>(result.size() - 1);
  }

 private:
  std::size_t draws_;
  double power_;
};

}  // namespace

std::unique_ptr<Objective> make_power_bound(PowerBoundName name) {
  if (name.power > 1) return std::make_unique<UpperBound>(name);
  if (name.draws == 1 || name.power == 0) return std::make_unique<SingleDraw>();
  return std::make_unique<LowerBound>(name);
}

}  // namespace kullback::infer
