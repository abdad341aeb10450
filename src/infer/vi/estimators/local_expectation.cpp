// Local expectation gradients of the ELBO for families of one-dimensional factors (Titsias and
// Lazaro-Gredilla 2015). The gradient to the parameters of factor i is
//   E_{q without i}[ integral q_i(theta_i) s_i(theta_i) (log p - log q_i) d theta_i ]:
// the other coordinates are drawn, the integral is a Gauss-Hermite sum over the noise of coordinate i. What
// of log p does not depend on theta_i cancels in it. One draw costs dim times kNodes values of log p, no
// gradient; the noise left is that of the other coordinates alone. The sum is exact for polynomials of degree
// 2 kNodes - 1 in that noise: of any other log p the gradient has the rule's error as a bias.
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/estimators/control.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kNodes = 12;

struct Rule {
  std::vector<double> nodes;
  std::vector<double> weights;  // sum to 1
};

// He_count and He_{count - 1} at x, of He_{n + 1} = x He_n - n He_{n - 1}.
struct Hermite {
  double value = 1;
  double before = 0;
};

Hermite hermite(std::size_t count, double x) {
  Hermite result;
  for (std::size_t n = 0; n < count; ++n) {
    const double next = x * result.value - static_cast<double>(n) * result.before;
    result.before = result.value;
    result.value = next;
  }
  return result;
}

double root_between(std::size_t count, double low, double high) {
  const bool rises = hermite(count, high).value > 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((hermite(count, middle).value > 0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// For the standard normal. The nodes are the roots of He_n, one between each two of He_{n - 1}; their
// weights are (n - 1)! / (n He_{n - 1}^2).
Rule gauss_hermite(std::size_t count) {
  Rule result;
  for (std::size_t n = 1; n <= count; ++n) {
    const double beyond = 2 * std::sqrt(static_cast<double>(n)) + 1;
    std::vector<double> roots;
    for (std::size_t i = 0; i < n; ++i) {
      roots.push_back(
          root_between(n, i == 0 ? -beyond : result.nodes[i - 1], i + 1 == n ? beyond : result.nodes[i]));
    }
    result.nodes = roots;
  }
  for (const double node : result.nodes) {
    const double before = hermite(count, node).before;
    result.weights.push_back(std::tgamma(static_cast<double>(count)) /
                             (static_cast<double>(count) * before * before));
  }
  return result;
}

class LocalExpectation final : public Estimator {
 public:
  explicit LocalExpectation(const EstimatorSetting& setting)
      : setting_(setting),
        rule_(gauss_hermite(kNodes)),
        factors_(setting.family->factors()),
        draws_(*setting.density, *setting.family) {}

  Bias bias() const override { return Bias::quadrature; }
  const EvaluatedDraws& draws() const override { return draws_; }
  void archive(Archive& archive) override { draws_.archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    result.gradient.assign(lambda.size(), 0.0);
    result.is_finite = draws_.evaluate(lambda, *setting_.noise, index, setting_.draws, false);
    if (!result.is_finite) return;
    evaluate_bound(*setting_.objective, {draws_.log_p(), draws_.log_q()}, setting_.noise->sampling(), result,
                   nullptr);
    resize(lambda.size());
    for (std::size_t i = 0; i < setting_.family->dim() && result.is_finite; ++i)
      result.is_finite = integrate(lambda, i, result.gradient);
  }

 private:
  void resize(std::size_t parameters) {
    lanes_ = draws_.lanes() * kNodes;
    noise_.resize(setting_.family->noise() * lanes_);
    theta_.resize(setting_.family->dim() * lanes_);
    factor_log_q_.resize(factors_.count * lanes_);
    scores_.resize(parameters * lanes_);
    log_p_.resize(lanes_);
    status_.resize(lanes_);
  }

  // Lane k * kNodes + n has draw k with node n in the noise of coordinate i.
  void set_points(std::span<const double> lambda, std::size_t i) {
    const std::size_t drawn = draws_.lanes();
    for (std::size_t j = 0; j < setting_.family->noise(); ++j) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        noise_[j * lanes_ + lane] =
            j == i ? rule_.nodes[lane % kNodes] : draws_.noise()[j * drawn + lane / kNodes];
      }
    }
    setting_.family->draw(lambda, {lanes_, noise_.data(), theta_.data(), nullptr});
  }

  bool integrate(std::span<const double> lambda, std::size_t i, std::span<double> gradient) {
    set_points(lambda, i);
    setting_.density->evaluate({lanes_, theta_.data(), log_p_.data(), nullptr, status_.data()});
    draws_.count_evaluations(lanes_);
    for (const density::Status status : status_) {
      if (status != density::Status::ok) return false;
    }
    const std::size_t factor = factors_.of_coordinate[i];
    const PointBatch points{lanes_, theta_.data()};
    setting_.family->factor_log_q(lambda, points, factor_log_q_.data());
    setting_.family->scores(lambda, points, scores_.data());
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      log_p_[lane] = (log_p_[lane] - factor_log_q_[factor * lanes_ + lane]) * rule_.weights[lane % kNodes] /
                     static_cast<double>(draws_.lanes());
    }
    for (std::size_t p = 0; p < gradient.size(); ++p) {
      if (factors_.of_parameter[p] != factor) continue;
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        gradient[p] += log_p_[lane] * scores_[p * lanes_ + lane];
    }
    return true;
  }

  EstimatorSetting setting_;
  Rule rule_;
  Factors factors_;
  EvaluatedDraws draws_;
  std::size_t lanes_ = 0;
  std::vector<double> noise_;
  std::vector<double> theta_;
  std::vector<double> log_p_;
  std::vector<double> factor_log_q_;
  std::vector<double> scores_;
  std::vector<density::Status> status_;
};

// Coordinate i depends on noise i and on no other, for factors of one coordinate and one number each.
bool has_scalar_factors(const Family& family) {
  return family.factors().count == family.dim() && family.noise() == family.dim();
}

std::optional<std::string> refuse(const EstimatorSetting& setting) {
  if (auto reason = refuse_score(setting)) return reason;
  if (!is_elbo(*setting.objective))
    return "local expectations are known for the ELBO alone; `--estimator score-cv` takes any objective";
  if (!has_scalar_factors(*setting.family))
    return "the family has no factors of one coordinate each; `--family meanfield` has, and --estimator "
           "score-cv "
           "takes any family";
  return std::nullopt;
}

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<LocalExpectation>(setting);
}

}  // namespace

const EstimatorRecord& local_expectation_estimator() {
  static const EstimatorRecord record{
      .name = "local-expectation",
      .summary = "each coordinate integrated by quadrature, the others drawn; needs no gradient of log p",
      .citation =
          "Titsias and Lazaro-Gredilla (2015), Local expectation gradients for black box variational "
          "inference, NeurIPS.",
      .options = {},
      .refuse = refuse,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
