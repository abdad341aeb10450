// A sequential Monte Carlo sampler (Del Moral, Doucet, Jasra 2006): N particles from a normal reference q,
// one after another temperature 0 = b_0 < b_1 < ... = 1 on the path q^(1-b) p^b. At each of them:
//   1. the next temperature by bisection: half of the particles effective, ESS of the weights
//      w = exp((b' - b)(log p - log q)) being N / 2;
//   2. the normalising constant grows by the factor mean(w);
//   3. systematic resampling;
//   4. Hamiltonian moves with the variances of the weighted particles as metric, again and again until no
//      coordinate's correlation with its place after resampling is above 0.2 (0.1 at the end), so that copies
//      part; or until it has stopped falling (by a twentieth in five moves), as between separate modes.
// The variance of log Z is estimated from the descendants of each first particle (Lee and Whiteley 2018),
//   1 - (N / (N - 1))^(n + 1) (1 - sum over ancestors of (their weight)^2) after n resamplings,
// which is right for multinomial and cautious for systematic resampling.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "infer/algorithm.hpp"
#include "infer/mcmc/archive_fixed.hpp"
#include "infer/mcmc/tempered_lanes.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kParticles = CountOption("particles", 1000, "Particles of sequential Monte Carlo")
                                .from(16)
                                .hinted("1000 suit most models.");
}  // namespace option

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kParticles};
constexpr std::array<std::string_view, 2> kStats{"accept_stat__", "log_normalizer__"};

constexpr double kEffective = 0.5;
constexpr double kTargetAccept = 0.8;
constexpr std::size_t kMostLeapfrogs = 8;
constexpr std::size_t kMostMoves = 40;
constexpr std::size_t kPatience = 5;
constexpr double kFalls = 0.95;
constexpr double kCorrelation = 0.2;
constexpr double kLastCorrelation = 0.1;

std::string text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", number);
  return buffer;
}

class Smc final : public Algorithm {
 public:
  Smc(density::LogDensity& density, const Options& options, Start start)
      : density_(density),
        count_(options[option::kParticles]),
        start_(std::move(start)),
        lanes_(density, options[option::kParticles]),
        acceptance_(options[option::kParticles], 1.0),
        ancestors_(options[option::kParticles]),
        log_ratios_(options[option::kParticles]),
        log_weights_(options[option::kParticles]),
        weights_(options[option::kParticles]) {
    std::iota(ancestors_.begin(), ancestors_.end(), 0.0);
    const Reference reference = wide_reference(start_.theta);
    for (std::size_t k = 0; k < count_; ++k) lanes_.set_reference(k, reference);
  }

  bool step(Draws& draws) override;
  Progress progress() const override { return {temperatures_, 0, beta_ < 1, lanes_.gradients(), 0}; }
  void archive(Archive& archive) override;
  Findings findings() const override;

 private:
  Random stream(Purpose purpose) const {
    return Random(start_.seed, start_.chain, static_cast<std::uint32_t>(purpose),
                  static_cast<std::uint32_t>(temperatures_));
  }
  void begin();
  double effective(double increment);
  void choose_temperature();
  void learn_metric();
  void resample();
  void move_until_parted();
  double largest_correlation(const std::vector<double>& places) const;
  void deliver(Draws& draws) const;

  density::LogDensity& density_;
  std::size_t count_;
  Start start_;
  TemperedLanes lanes_;
  std::vector<double> acceptance_;
  std::vector<double> ancestors_;   // the first particle behind each
  std::vector<double> log_ratios_;  // log p - log q
  std::vector<double> log_weights_;
  std::vector<double> weights_;  // normalised
  double beta_ = 0;
  double step_size_ = 0.5;
  double log_normalizer_ = 0;
  double variance_ = 0;  // of log_normalizer_
  double last_correlation_ = 0;
  std::uint64_t temperatures_ = 0;
};

bool Smc::step(Draws& draws) {
  if (beta_ == 1) return false;
  if (temperatures_ == 0) begin();
  ++temperatures_;
  choose_temperature();
  learn_metric();
  resample();
  std::fill(lanes_.beta.begin(), lanes_.beta.end(), beta_);
  move_until_parted();
  if (beta_ == 1) deliver(draws);
  return true;
}

void Smc::begin() {
  Random random = stream(Purpose::approximation);  // not that of the start, which the reference depends on
  for (std::size_t k = 0; k < count_; ++k) lanes_.draw_reference(k, random);
  lanes_.evaluate();
}

// The effective number of particles after an increment of the temperature; leaves the weights.
double Smc::effective(double increment) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < count_; ++k) {
    log_weights_[k] = increment * log_ratios_[k];
    largest = std::max(largest, log_weights_[k]);
  }
  double sum = 0;
  double squares = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    weights_[k] = std::exp(log_weights_[k] - largest);
    sum += weights_[k];
    squares += weights_[k] * weights_[k];
  }
  for (double& weight : weights_) weight /= sum;
  return sum * sum / squares;
}

void Smc::choose_temperature() {
  double alive = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    log_ratios_[k] = lanes_.log_target(k) - lanes_.log_reference(k, k);
    alive += std::isfinite(log_ratios_[k]) ? 1 : 0;
  }
  if (alive < 2)
    throw Error(ErrorKind::bad_input,
                "the density is finite at " + text(alive) + " of " + std::to_string(count_) +
                    " particles: " + density_.message(),
                "Give initial values inside the support near the posterior (particles start as far out as "
                "they lie), or more --particles.");
  const double needed = kEffective * alive;
  double low = 0;
  double high = 1 - beta_;
  if (effective(high) < needed) {
    while (high - low > 1e-10 * high) {
      const double middle = 0.5 * (low + high);
      (effective(middle) < needed ? high : low) = middle;
    }
    effective(high);
    beta_ += high;
  } else {
    beta_ = 1;
  }
  const double largest = *std::max_element(log_weights_.begin(), log_weights_.end());
  double sum = 0;
  for (const double log_weight : log_weights_) sum += std::exp(log_weight - largest);
  log_normalizer_ += largest + std::log(sum / static_cast<double>(count_));

  std::vector<double> shares(count_);
  for (std::size_t k = 0; k < count_; ++k) shares[static_cast<std::size_t>(ancestors_[k])] += weights_[k];
  double same = 0;
  for (const double share : shares) same += share * share;
  const double n = static_cast<double>(count_);
  variance_ = std::max(0.0, 1 - std::pow(n / (n - 1), static_cast<double>(temperatures_)) * (1 - same));
}

void Smc::learn_metric() {
  for (std::size_t i = 0; i < lanes_.dim(); ++i) {
    double mean = 0;
    double squares = 0;
    for (std::size_t k = 0; k < count_; ++k) mean += weights_[k] * lanes_.theta(i, k);
    for (std::size_t k = 0; k < count_; ++k) {
      const double deviation = lanes_.theta(i, k) - mean;
      if (weights_[k] > 0) squares += weights_[k] * deviation * deviation;
    }
    const double variance = squares > 0 && std::isfinite(squares) ? squares : 1e-6;
    for (std::size_t k = 0; k < count_; ++k) lanes_.inv_metric[i * count_ + k] = variance;
  }
}

void Smc::resample() {
  Random random = stream(Purpose::resample);
  const double offset = random.uniform();
  std::vector<std::size_t> sources(count_);
  std::vector<double> ancestors(count_);
  double cumulative = 0;
  std::size_t next = 0;
  std::size_t last_alive = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    if (weights_[k] > 0) last_alive = k;
    cumulative += weights_[k] * static_cast<double>(count_);
    while (next < count_ && static_cast<double>(next) + offset < cumulative) sources[next++] = k;
  }
  while (next < count_) sources[next++] = last_alive;  // what rounding left over
  for (std::size_t k = 0; k < count_; ++k) ancestors[k] = ancestors_[sources[k]];
  ancestors_.swap(ancestors);
  lanes_.select(sources);
}

void Smc::move_until_parted() {
  Random random = stream(Purpose::transition);
  std::vector<double> places;
  for (std::size_t i = 0; i < lanes_.dim(); ++i) {
    for (std::size_t k = 0; k < count_; ++k) places.push_back(lanes_.theta(i, k));
  }
  std::vector<double> correlations;
  const double enough = beta_ == 1 ? kLastCorrelation : kCorrelation;
  for (std::size_t move = 1; move <= kMostMoves; ++move) {
    std::fill(lanes_.step_size.begin(), lanes_.step_size.end(), step_size_);
    lanes_.move(random, 1 + random.below(kMostLeapfrogs), acceptance_);
    const double mean =
        std::accumulate(acceptance_.begin(), acceptance_.end(), 0.0) / static_cast<double>(count_);
    step_size_ *= std::exp(mean - kTargetAccept);
    last_correlation_ = largest_correlation(places);
    correlations.push_back(last_correlation_);
    if (move > 1 && last_correlation_ < enough) return;
    if (move > kPatience && last_correlation_ > kFalls * correlations[move - 1 - kPatience]) return;
  }
}

double Smc::largest_correlation(const std::vector<double>& places) const {
  double largest = 0;
  const double n = static_cast<double>(count_);
  for (std::size_t i = 0; i < lanes_.dim(); ++i) {
    double x = 0;
    double y = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      x += places[i * count_ + k] / n;
      y += lanes_.theta(i, k) / n;
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const double dx = places[i * count_ + k] - x;
      const double dy = lanes_.theta(i, k) - y;
      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
    // Of n independent points the correlation is about n^-1/2.
    largest = std::max(largest, std::abs(xy) / std::sqrt(xx * yy) - 2 / std::sqrt(n));
  }
  return largest;
}

void Smc::deliver(Draws& draws) const {
  draws.dim = lanes_.dim();
  for (std::size_t k = 0; k < count_; ++k) {
    lanes_.copy_point(k, draws.theta);
    draws.log_density.push_back(lanes_.log_target(k));
    draws.stats.push_back(acceptance_[k]);
    draws.stats.push_back(log_normalizer_);
  }
}

void Smc::archive(Archive& archive) {
  lanes_.archive(archive);
  archive_fixed(archive, acceptance_);
  archive_fixed(archive, ancestors_);
  for (double* number : {&beta_, &step_size_, &log_normalizer_, &variance_, &last_correlation_})
    archive.value(*number);
  archive.value(temperatures_);
}

Findings Smc::findings() const {
  if (beta_ < 1) return {};
  Findings result;
  result.push_back({"log-normalizer",
                    "The log normalising constant is " + text(log_normalizer_) +
                        ", with a standard error of " + text(std::sqrt(variance_)) + ".",
                    std::to_string(temperatures_) + " temperatures, " + std::to_string(count_) + " particles",
                    "To compare models, keep the constants that `~` drops: write target += ..._lpdf."});
  if (last_correlation_ >= kLastCorrelation)
    result.push_back({"particles-stay",
                      "Particles stayed near their places at the last temperature: there are modes between "
                      "which they cannot move, or their moves are too short.",
                      "correlation with the places after resampling " + text(last_correlation_),
                      "Look for separate modes in the draws; where there are none, use nuts."});
  return result;
}

std::unique_ptr<Algorithm> make_smc(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<Smc>(density, options, std::move(start));
}

}  // namespace

const Method& smc_method() {
  static const Method method{
      .name = "smc",
      .summary = "Sequential Monte Carlo: particles cooled from a normal distribution to the posterior",
      .use_when =
          "You want the normalising constant, or many modes are to be found at once by cheap parallel "
          "evaluations, in some tens of dimensions.",
      .citation =
          "Del Moral, Doucet, Jasra (2006), Sequential Monte Carlo Samplers; Buchholz, Chopin, Jacob "
          "(2021), Adaptive Tuning of Hamiltonian Monte Carlo Within SMC",
      .has_chains = false,
      .options = kOptions,
      .stats = kStats,
      .make = make_smc,
  };
  return method;
}

}  // namespace kullback::infer
