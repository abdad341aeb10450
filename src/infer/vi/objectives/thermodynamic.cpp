// The thermodynamic variational objective (Masrani, Le and Wood 2019): the log evidence is the integral over
// beta in (0, 1) of E_beta[log w], w = p / q, under the density q^(1 - beta) p^beta, which never falls in
// beta; the left Riemann sum
//   TVO = sum_i (beta_{i+1} - beta_i) E_{beta_i}[log w],   beta_0 = 0, the last one 1,
// is a lower bound, at least the ELBO, which it is for one partition. The temperatures between are spaced
// evenly in log beta from 0.025, as in the paper. K draws from q, with shares v = w^beta / sum of w^beta,
// estimate an expectation by G = sum_k v_k x_k, x = log w. With a_k = 1 + beta (x_k - G):
//   dG / dx_k = v_k a_k,   d2G / dx_k^2 = beta v_k (1 + a_k - 2 v_k a_k)
// The gradients are unbiased for this surrogate, whose bias against TVO falls as 1 / K.
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/objective.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/power_mean.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kPartitions =
    CountOption("partitions", 10, "Temperatures of the thermodynamic objective").from(1);
}  // namespace option

namespace {

constexpr double kLeastBeta = 0.025;

std::vector<double> temperatures(std::size_t partitions) {
  std::vector<double> result{0};
  for (std::size_t i = 1; i < partitions; ++i) {
    const double part = static_cast<double>(i - 1) / static_cast<double>(partitions - 1);
    result.push_back(std::exp((1 - part) * std::log(kLeastBeta)));
  }
  result.push_back(1);
  return result;
}

class Thermodynamic final : public Objective {
 public:
  Thermodynamic(std::size_t draws, std::size_t partitions)
      : draws_(draws), betas_(temperatures(partitions)) {}

  std::size_t draws() const override { return draws_; }
  Bias bias() const override { return Bias::finite_k; }

  double value(const DrawLogs& logs, BoundSlopes* slopes) const override {
    const std::size_t count = logs.log_p.size();
    std::vector<double> x(count);
    for (std::size_t k = 0; k < count; ++k) x[k] = logs.log_p[k] - logs.log_q[k];
    if (slopes != nullptr) {
      for (auto* slope : {&slopes->p, &slopes->q, &slopes->q_p, &slopes->q_q}) slope->assign(count, 0);
    }
    std::vector<double> shares(count);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < betas_.size(); ++i) {
      log_power_mean(scaled(x, betas_[i]), betas_[i] == 0 ? 0 : 1, shares);
      const double width = betas_[i + 1] - betas_[i];
      double mean = 0;
      for (std::size_t k = 0; k < count; ++k) mean += shares[k] == 0 ? 0 : shares[k] * x[k];
      sum += width * mean;
      for (std::size_t k = 0; slopes != nullptr && k < count; ++k) {
        if (shares[k] == 0) continue;
        const double a = betas_[i] == 0 ? 1 : 1 + betas_[i] * (x[k] - mean);
        slopes->p[k] += width * shares[k] * a;
        slopes->q_q[k] += width * betas_[i] * shares[k] * (1 + a - 2 * shares[k] * a);
      }
    }
    for (std::size_t k = 0; slopes != nullptr && k < count; ++k) {
      slopes->q[k] = -slopes->p[k];
      slopes->q_p[k] = -slopes->q_q[k];
    }
    return sum;
  }

 private:
  static std::vector<double> scaled(std::vector<double> x, double factor) {
    for (double& value : x) value *= factor == 0 ? 1 : factor;
    return x;
  }

  std::size_t draws_;
  std::vector<double> betas_;
};

std::unique_ptr<Objective> make(const Options& options) {
  if (options[option::kImportanceDraws] < 2)
    throw Error(ErrorKind::usage, "--importance-draws must be 2 or more for this objective.",
                "10 is the default; one draw has no weights.");
  return std::make_unique<Thermodynamic>(options[option::kImportanceDraws], options[option::kPartitions]);
}

constexpr const OptionRecord* kOptions[] = {&option::kImportanceDraws, &option::kPartitions};

}  // namespace

const ObjectiveRecord& thermodynamic_objective() {
  static const ObjectiveRecord record{
      .name = "tvo",
      .summary = "the thermodynamic objective: the ELBO's integral over temperatures",
      .citation = "Masrani, Le and Wood (2019), The thermodynamic variational objective, NeurIPS.",
      .options = kOptions,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
