// The kernelised Stein discrepancy between q and p (Liu, Lee and Jordan 2016), made small through the draws
// (Hu et al. 2018; Fisher et al. 2021, measure transport with KSD). It needs draws of q and gradients of log
// p, neither log q nor the evidence. In units of the coordinates, y = x / h, with s = h grad log p, d = y -
// y', the inverse multiquadric kernel k = u^(-1/2), u = 1 + e |d|^2, e = 1 / dim:
//   k_p(y, y') = s.s' u^(-1/2) + e (s - s').d u^(-3/2) + e dim u^(-3/2) - 3 e^2 |d|^2 u^(-5/2)
// KSD^2 is its mean over pairs of independent draws: the U-statistic of K draws, and its derivative through
// the draws, are unbiased. To y: through d,
//   -e s.s' u^(-3/2) d + e (s - s') u^(-3/2) - 3 e^2 (s - s').d u^(-5/2) d - 3 e^2 (dim + 2) u^(-5/2) d
//   + 15 e^3 |d|^2 u^(-7/2) d,
// and through s the Hessian of log p times c = s' u^(-1/2) + e u^(-3/2) d, summed over y': one direction for
// each draw, by central differences of the gradients, all draws at once.
// The units h are standard deviations of q. In units of a q that was far too narrow or too wide the kernel
// sees nothing of how q differs from p, and the gradient vanishes before q has arrived: where a standard
// deviation has changed by more than a factor of kNewUnits they are taken anew, and the discrepancy is
// another one. As q settles they stay as they are.
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr double kStep = 1e-4;  // of a difference, in units
constexpr double kNewUnits = 1.5;
constexpr double kMemory = 0.95;  // of the spread of earlier draws

class Stein final : public Estimator {
 public:
  explicit Stein(const EstimatorSetting& setting)
      : setting_(setting), draws_(*setting.density, *setting.family) {}

  Bias bias() const override { return Bias::unbiased; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override {
    draws_.archive(archive);
    archive.value(units_);
    archive.value(variances_);
  }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, true);
    if (!result.is_finite) return;
    result.has_new_scale = update_units(lambda);
    set_points();
    sum_pairs(result);
    result.is_finite = add_hessians();
    if (!result.is_finite) return;
    setting_.family->pull_back(lambda, {draws_.lanes(), adjoint_.data(), nullptr}, result.gradient);
  }

 private:
  // True where they are new.
  bool update_units(std::span<const double> lambda) {
    std::vector<double> sd(setting_.family->dim(), 1.0);
    if (setting_.family->abilities().moments) {
      std::vector<double> mean(sd.size());
      setting_.family->moments(lambda, mean, sd);
    } else {
      sd = smoothed_sd_of_draws();
    }
    bool are_near = !units_.empty();
    for (std::size_t i = 0; are_near && i < sd.size(); ++i)
      are_near = std::abs(std::log(sd[i] / units_[i])) < std::log(kNewUnits);
    if (!are_near) units_ = sd;
    return !are_near;
  }

  // Of draws before these, but for the first time: units must not depend on the draws they are used with.
  std::vector<double> smoothed_sd_of_draws() {
    const std::size_t lanes = draws_.lanes();
    std::vector<double> sd(setting_.family->dim());
    if (variances_.empty()) variances_.assign(sd.size(), 0.0);
    for (std::size_t i = 0; i < sd.size(); ++i) {
      double mean = 0;
      double squares = 0;
      for (std::size_t k = 0; k < lanes; ++k)
        mean += draws_.theta()[i * lanes + k] / static_cast<double>(lanes);
      for (std::size_t k = 0; k < lanes; ++k) squares += std::pow(draws_.theta()[i * lanes + k] - mean, 2);
      const double variance = squares > 0 ? squares / static_cast<double>(lanes - 1) : 1;
      sd[i] = std::sqrt(variances_[i] > 0 ? variances_[i] : variance);
      variances_[i] = variances_[i] > 0 ? kMemory * variances_[i] + (1 - kMemory) * variance : variance;
    }
    return sd;
  }

  // Draw after draw: sums over coordinates are innermost.
  void set_points() {
    const std::size_t dim = units_.size();
    const std::size_t lanes = draws_.lanes();
    y_.resize(dim * lanes);
    s_.resize(dim * lanes);
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        y_[k * dim + i] = draws_.theta()[i * lanes + k] / units_[i];
        s_[k * dim + i] = draws_.gradient()[i * lanes + k] * units_[i];
      }
    }
  }

  // Minus KSD^2, its adjoint to y through d, and the directions of the Hessians.
  void sum_pairs(Estimate& result) {
    const std::size_t dim = units_.size();
    const std::size_t lanes = draws_.lanes();
    direct_.assign(dim * lanes, 0.0);
    directions_.assign(dim * lanes, 0.0);
    rows_.assign(lanes, 0.0);
    for (std::size_t a = 0; a < lanes; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double value = add_pair(a, b);
        rows_[a] += value / static_cast<double>(lanes - 1);
        rows_[b] += value / static_cast<double>(lanes - 1);
      }
    }
    double mean = 0;
    double squares = 0;
    const auto count = static_cast<double>(lanes);
    for (const double row : rows_) mean += row / count;
    for (const double row : rows_) squares += (row - mean) * (row - mean);
    result.bound = -mean;
    result.bound_error = 2 * std::sqrt(squares / (count - 1) / count);
  }

  double add_pair(std::size_t a, std::size_t b) {
    const std::size_t dim = units_.size();
    const auto size = static_cast<double>(dim);
    const double* s = s_.data() + a * dim;
    const double* t = s_.data() + b * dim;
    const double* x = y_.data() + a * dim;
    const double* y = y_.data() + b * dim;
    double distance = 0;
    double product = 0;
    double along = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      const double d = x[i] - y[i];
      distance += d * d;
      product += s[i] * t[i];
      along += (s[i] - t[i]) * d;
    }
    const double e = 1 / size;
    const double u = 1 + e * distance;
    const double u1 = 1 / std::sqrt(u);
    const double u3 = u1 / u;
    const double u5 = u3 / u;
    const double of_d =
        -e * product * u3 - 3 * e * e * (along + size + 2) * u5 + 15 * e * e * e * distance * u5 / u;
    for (std::size_t i = 0; i < dim; ++i) {
      const double d = x[i] - y[i];
      const double direct = of_d * d + e * (s[i] - t[i]) * u3;
      direct_[a * dim + i] += direct;
      direct_[b * dim + i] -= direct;
      directions_[a * dim + i] += t[i] * u1 + e * u3 * d;
      directions_[b * dim + i] += s[i] * u1 - e * u3 * d;
    }
    return product * u1 + e * (along + size) * u3 - 3 * e * e * distance * u5;
  }

  // adjoint = -2 / (K (K - 1)) (direct / h + H (h direction)).
  bool add_hessians() {
    const std::size_t dim = units_.size();
    const std::size_t lanes = draws_.lanes();
    std::vector<double> steps(lanes);
    points_.resize(2 * dim * lanes);
    gradients_.resize(points_.size());
    log_p_.resize(2 * lanes);
    status_.resize(2 * lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      double squares = 0;
      for (std::size_t i = 0; i < dim; ++i) squares += std::pow(directions_[k * dim + i], 2);
      steps[k] = squares > 0 ? kStep / std::sqrt(squares) : 1;
      for (std::size_t i = 0; i < dim; ++i) {
        const double move = steps[k] * units_[i] * directions_[k * dim + i];
        points_[i * 2 * lanes + k] = draws_.theta()[i * lanes + k] + move;
        points_[i * 2 * lanes + lanes + k] = draws_.theta()[i * lanes + k] - move;
      }
    }
    setting_.density->evaluate({2 * lanes, points_.data(), log_p_.data(), gradients_.data(), status_.data()});
    draws_.count_gradients(2 * lanes);
    for (const density::Status status : status_) {
      if (status != density::Status::ok) return false;
    }
    const double scale = -2 / static_cast<double>(lanes * (lanes - 1));
    adjoint_.resize(dim * lanes);
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const double difference = gradients_[i * 2 * lanes + k] - gradients_[i * 2 * lanes + lanes + k];
        adjoint_[i * lanes + k] = scale * (direct_[k * dim + i] / units_[i] + difference / (2 * steps[k]));
      }
    }
    return true;
  }

  EstimatorSetting setting_;
  EvaluatedDraws draws_;
  std::vector<double> units_;
  std::vector<double> variances_;  // of draws, smoothed; where the family has no moments
  std::vector<double> y_;
  std::vector<double> s_;
  std::vector<double> direct_;
  std::vector<double> directions_;
  std::vector<double> rows_;  // mean of k_p over the partners of each draw
  std::vector<double> points_;
  std::vector<double> gradients_;
  std::vector<double> log_p_;
  std::vector<density::Status> status_;
  std::vector<double> adjoint_;
};

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  if (!setting.family->abilities().reparameterised)
    throw Error(ErrorKind::usage,
                "`--objective stein` moves the draws, and those of this family are not differentiable in its "
                "parameters.",
                "`--objective elbo --estimator score` needs no such draws.");
  if (setting.draws < 2)
    throw Error(ErrorKind::usage, "--grad-draws is 1; `--objective stein` compares pairs of draws.",
                "16 is the default.");
  if ((*setting.options)[option::kSampling] != "iid")
    throw Error(ErrorKind::usage,
                "`--objective stein` pairs draws that must be independent, which --sampling " +
                    std::string((*setting.options)[option::kSampling]) + " does not make.",
                "`--sampling iid` does.");
  return std::make_unique<Stein>(setting);
}

}  // namespace

const ObjectiveRecord& stein_objective() {
  static const ObjectiveRecord record{
      .name = "stein",
      .summary = "the kernelised Stein discrepancy, made small: needs no log q",
      .citation = "Liu, Lee and Jordan (2016), A kernelized Stein discrepancy, ICML.",
      .options = {},
      .make_estimator = make,
  };
  return record;
}

}  // namespace kullback::infer
