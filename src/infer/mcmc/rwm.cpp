// Random-walk Metropolis: theta + s L z with L L' an estimate of the covariance. Warm-up adapts both (Andrieu
// and Thoms 2008, algorithm 4), with weights w_t = (t + 1)^-0.6 that forget the way from the start:
//   log s += w (acceptance - target),  m += w (theta - m),  C += w ((theta - m)(theta - m)' - C)
// The factor L follows by an update of rank one; s starts at 2.38 / sqrt(dim) (Roberts, Gelman, Gilks 1997).
// The best acceptance is 0.44 in one dimension and 0.234 in many: 0.234 + 0.206 / dim.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/mcmc/archive_fixed.hpp"
#include "infer/mcmc/hamiltonian_chain.hpp"
#include "infer/mcmc/options.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kWarmup, &option::kDraws, &option::kThin,
                                            &option::kStepSize};
constexpr std::array<std::string_view, 2> kStats{"accept_stat__", "stepsize__"};

class RandomWalk final : public Algorithm {
 public:
  RandomWalk(density::LogDensity& density, const Options& options, Start start)
      : density_(density),
        options_(options),
        start_(std::move(start)),
        dim_(density.dim()),
        theta_(start_.theta),
        mean_(start_.theta),
        lower_(dim_ * dim_),
        normals_(dim_),
        proposal_(dim_) {
    for (std::size_t i = 0; i < dim_; ++i) lower_[i * dim_ + i] = 1;
    const double dim = static_cast<double>(std::max<std::size_t>(dim_, 1));
    scale_ = options[option::kStepSize] * (options[option::kWarmup] > 0 ? 2.38 / std::sqrt(dim) : 1.0);
    target_ = 0.234 + 0.206 / dim;
  }

  bool step(Draws& draws) override;
  Progress progress() const override {
    return {iteration_,
            options_[option::kWarmup] + options_[option::kDraws],
            is_warming_up(),
            0,
            0,
            iteration_ > 0 ? log_density_ : std::numeric_limits<double>::quiet_NaN()};
  }
  void archive(Archive& archive) override;
  std::optional<Adaptation> adaptation() const override;

 private:
  bool is_warming_up() const { return iteration_ < options_[option::kWarmup]; }
  double evaluate(const std::vector<double>& theta);
  void adapt(double acceptance);

  density::LogDensity& density_;
  Options options_;
  Start start_;
  std::size_t dim_;
  std::vector<double> theta_;
  std::vector<double> mean_;
  std::vector<double> lower_;
  std::vector<double> normals_;
  std::vector<double> proposal_;
  double log_density_ = 0;
  double scale_ = 1;
  double target_ = 0.234;
  std::uint64_t iteration_ = 0;
};

double RandomWalk::evaluate(const std::vector<double>& theta) {
  double result = 0;
  density::Status status = density::Status::ok;
  density_.evaluate({1, theta.data(), &result, nullptr, &status});
  return status == density::Status::ok ? result : -std::numeric_limits<double>::infinity();
}

bool RandomWalk::step(Draws& draws) {
  if (iteration_ == options_[option::kWarmup] + options_[option::kDraws]) return false;
  if (iteration_ == 0) {
    log_density_ = evaluate(theta_);
    if (!std::isfinite(log_density_))
      throw Error(ErrorKind::bad_input,
                  "the density is not finite where the chain starts: " + density_.message(),
                  "Give initial values inside the support.");
  }
  Random random(start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::transition),
                static_cast<std::uint32_t>(iteration_));
  for (double& z : normals_) z = random.normal();
  math::linear::multiply_lower(math::linear::ConstView::by_rows(lower_.data(), dim_, dim_), normals_,
                               proposal_);
  for (std::size_t i = 0; i < dim_; ++i) proposal_[i] = theta_[i] + scale_ * proposal_[i];
  const double proposed = evaluate(proposal_);
  const double acceptance = std::min(1.0, std::exp(proposed - log_density_));
  if (random.uniform() < acceptance) {
    theta_.swap(proposal_);
    log_density_ = proposed;
  }
  if (is_warming_up()) {
    adapt(acceptance);
  } else if ((iteration_ - options_[option::kWarmup]) % options_[option::kThin] == 0) {
    draws.dim = dim_;
    draws.theta.insert(draws.theta.end(), theta_.begin(), theta_.end());
    draws.log_density.push_back(log_density_);
    draws.stats.push_back(acceptance);
    draws.stats.push_back(scale_);
  }
  ++iteration_;
  return true;
}

void RandomWalk::adapt(double acceptance) {
  const double weight = std::pow(static_cast<double>(iteration_) + 2, -0.6);
  scale_ *= std::exp(weight * (acceptance - target_));
  for (double& entry : lower_) entry *= std::sqrt(1 - weight);
  for (std::size_t i = 0; i < dim_; ++i) {
    const double deviation = theta_[i] - mean_[i];
    mean_[i] += weight * deviation;
    normals_[i] = std::sqrt(weight) * deviation;
  }
  math::linear::update_cholesky(math::linear::View::by_rows(lower_.data(), dim_, dim_), normals_);
}

void RandomWalk::archive(Archive& archive) {
  archive.value(iteration_);
  archive.value(log_density_);
  archive.value(scale_);
  archive_fixed(archive, theta_);
  archive_fixed(archive, mean_);
  archive_fixed(archive, lower_);
}

std::optional<Adaptation> RandomWalk::adaptation() const {
  Adaptation result{scale_, Metric::dense, std::vector<double>(dim_ * dim_)};
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t j = 0; j < dim_; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= std::min(i, j); ++k) sum += lower_[i * dim_ + k] * lower_[j * dim_ + k];
      result.inv_metric[i * dim_ + j] = sum;
    }
  }
  return result;
}

std::unique_ptr<Algorithm> make_rwm(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<RandomWalk>(density, options, std::move(start));
}

}  // namespace

const Method& rwm_method() {
  static const Method method{
      .name = "rwm",
      .summary = "Random-walk Metropolis with an adapted covariance; no gradients",
      .use_when =
          "The density has no usable gradient (jumps, a solver's noise) and at most some tens of "
          "parameters.",
      .citation =
          "Haario, Saksman, Tamminen (2001), An Adaptive Metropolis Algorithm; Andrieu and Thoms "
          "(2008), A Tutorial on Adaptive MCMC",
      .needs = {.gradient = false},
      .options = kOptions,
      .stats = kStats,
      .make = make_rwm,
  };
  return method;
}

}  // namespace kullback::infer
