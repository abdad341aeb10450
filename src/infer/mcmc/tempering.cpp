// Parallel tempering on two legs that meet in the target:
//   q_fixed  <- beta from 0 to 1 ->  target  <- beta from 1 to 0 ->  q_fitted
// q_fixed is a wide normal around the origin; q_fitted a normal with the target's moments, learned in warm-up
// (Surjanovic, Syed, Bouchard-Cote, Campbell 2022). The fitted leg is short where the posterior is nearly
// normal; the fixed one finds modes that the fitted one has not seen.
//
// An iteration is a Hamiltonian trajectory of every temperature (lanes of one evaluation; at the references a
// fresh draw), then swaps of neighbours, of even pairs and odd pairs in turn: the non-reversible scheme,
// whose restarts do not fall with more temperatures (Syed, Bouchard-Cote, Deligiannidis, Doucet 2022).
//
// Warm-up is in rounds, each twice as long as the one before and the last ending at nine tenths. A round
// gives the rejection rates r_k of swaps; temperatures are then placed so that the barrier Lambda = sum of
// r_k is cut in equal parts. Metrics are the variances of each temperature, step sizes go to an acceptance of
// 0.8.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "infer/mcmc/archive_fixed.hpp"
#include "infer/mcmc/hamiltonian_chain.hpp"
#include "infer/mcmc/temperature_ladder.hpp"
#include "infer/mcmc/tempered_lanes.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kTemperatures =
    CountOption("temperatures", 10, "Temperatures of parallel tempering, the target's included")
        .from(2)
        .hinted("One is the reference and one the target; 10 suit most posteriors with a few modes.");
}  // namespace option

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kWarmup, &option::kDraws, &option::kThin,
                                            &option::kTemperatures};
constexpr std::array<std::string_view, 4> kStats{"accept_stat__", "stepsize__", "swap_accept__",
                                                 "restarts__"};

constexpr double kTargetAccept = 0.8;
constexpr std::size_t kMostLeapfrogs = 8;
constexpr std::uint64_t kShortestRound = 16;
constexpr std::uint64_t kFewRestarts = 10;

std::string text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", number);
  return buffer;
}

class Tempering final : public Algorithm {
 public:
  Tempering(density::LogDensity& density, const Options& options, Start start);

  bool step(Draws& draws) override;
  Progress progress() const override {
    return {iteration_, options_[option::kWarmup] + options_[option::kDraws], is_warming_up(),
            lanes_.gradients(), 0};
  }
  void archive(Archive& archive) override;
  std::optional<Adaptation> adaptation() const override;
  Findings findings() const override;

 private:
  bool is_warming_up() const { return iteration_ < options_[option::kWarmup]; }
  bool is_reference(std::size_t k) const { return lanes_.beta[k] == 0; }
  bool ends_round() const;
  void begin();
  void swap_neighbours();
  void adapt();
  void end_round();
  void fit_reference();
  double barrier(std::size_t first, std::size_t last) const;

  Options options_;
  Start start_;
  std::size_t count_;
  std::size_t target_;  // the lane of the target
  TemperedLanes lanes_;
  std::vector<double> acceptance_;
  std::vector<DualAveraging> step_sizes_;
  std::vector<RunningMoments> moments_;  // of each lane in this round
  std::vector<double> rejections_;       // of swaps between k and k + 1: sums over tries in this round
  std::vector<double> tries_;
  std::vector<double> is_fresh_;  // 1: has been at a reference since it was the target
  double swap_acceptance_ = 0;
  std::uint64_t restarts_ = 0;  // fresh states that reached the target after warm-up
  std::uint64_t iteration_ = 0;
};

Tempering::Tempering(density::LogDensity& density, const Options& options, Start start)
    : options_(options),
      start_(std::move(start)),
      count_(options[option::kTemperatures]),
      target_(options[option::kTemperatures] / 2),
      lanes_(density, options[option::kTemperatures]),
      acceptance_(count_),
      step_sizes_(count_, DualAveraging({kTargetAccept}, 0.1)),
      moments_(count_, RunningMoments(density.dim(), false)),
      rejections_(count_ - 1),
      tries_(count_ - 1),
      is_fresh_(count_, 0.0) {
  const Reference wide = wide_reference(start_.theta);
  const std::vector<double> rising = first_ladder(target_ + 1);
  const std::vector<double> falling = first_ladder(count_ - target_);
  for (std::size_t k = 0; k < count_; ++k) {
    lanes_.set_reference(k, wide);
    lanes_.beta[k] = k <= target_ ? rising[k] : falling[count_ - 1 - k];
    lanes_.step_size[k] = 0.1;
  }
  lanes_.beta[target_] = 1;
}

void Tempering::begin() {
  for (std::size_t k = 0; k < count_; ++k) lanes_.set_point(k, start_.theta);
  lanes_.evaluate();
  if (!std::isfinite(lanes_.log_target(target_)))
    throw Error(ErrorKind::bad_input, "the density is not finite where the chain starts.",
                "Give initial values inside the support.");
}

bool Tempering::step(Draws& draws) {
  if (iteration_ >= options_[option::kWarmup] + options_[option::kDraws]) return false;
  if (iteration_ == 0) begin();
  Random random(start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::transition),
                static_cast<std::uint32_t>(iteration_));
  for (std::size_t k = 0; k < count_; ++k) {
    if (is_reference(k)) lanes_.draw_reference(k, random);
  }
  lanes_.move(random, 1 + random.below(kMostLeapfrogs), acceptance_);
  swap_neighbours();
  if (is_warming_up()) {
    adapt();
  } else if ((iteration_ - options_[option::kWarmup]) % options_[option::kThin] == 0) {
    draws.dim = lanes_.dim();
    lanes_.copy_point(target_, draws.theta);
    draws.log_density.push_back(lanes_.log_target(target_));
    for (const double number :
         {acceptance_[target_], lanes_.step_size[target_], swap_acceptance_, static_cast<double>(restarts_)})
      draws.stats.push_back(number);
  }
  ++iteration_;
  return true;
}

void Tempering::swap_neighbours() {
  Random random(start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::swap),
                static_cast<std::uint32_t>(iteration_));
  double sum = 0;
  double pairs = 0;
  for (std::size_t k = iteration_ % 2; k + 1 < count_; k += 2) {
    const double gain = lanes_.log_path(k, k + 1) + lanes_.log_path(k + 1, k) - lanes_.log_path(k, k) -
                        lanes_.log_path(k + 1, k + 1);
    const double acceptance = std::isnan(gain) ? 0.0 : std::min(1.0, std::exp(gain));
    rejections_[k] += 1 - acceptance;
    tries_[k] += 1;
    sum += acceptance;
    pairs += 1;
    if (!(random.uniform() < acceptance)) continue;
    lanes_.swap(k, k + 1);
    std::swap(is_fresh_[k], is_fresh_[k + 1]);
  }
  swap_acceptance_ = pairs > 0 ? sum / pairs : 1;
  for (std::size_t k = 0; k < count_; ++k) {
    if (is_reference(k)) is_fresh_[k] = 1;
  }
  if (is_fresh_[target_] > 0 && !is_warming_up()) ++restarts_;
  is_fresh_[target_] = 0;
}

bool Tempering::ends_round() const {
  for (std::uint64_t end = options_[option::kWarmup] * 9 / 10; end >= kShortestRound; end /= 2) {
    if (iteration_ + 1 == end) return true;
  }
  return false;
}

void Tempering::adapt() {
  for (std::size_t k = 0; k < count_; ++k) {
    if (!is_reference(k)) lanes_.step_size[k] = step_sizes_[k].learn(acceptance_[k]);
    std::vector<double> point;
    lanes_.copy_point(k, point);
    moments_[k].add(point.data());
  }
  if (ends_round()) end_round();
  if (iteration_ + 1 < options_[option::kWarmup]) return;
  for (std::size_t k = 0; k < count_; ++k) {
    if (!is_reference(k)) lanes_.step_size[k] = step_sizes_[k].average();
  }
  std::fill(rejections_.begin(), rejections_.end(), 0.0);
  std::fill(tries_.begin(), tries_.end(), 0.0);
}

void Tempering::end_round() {
  std::vector<double> rates(count_ - 1);
  for (std::size_t k = 0; k + 1 < count_; ++k) rates[k] = tries_[k] > 0 ? rejections_[k] / tries_[k] : 1;
  place_temperatures({lanes_.beta.data(), target_ + 1}, {rates.data(), target_});
  std::reverse(lanes_.beta.begin(), lanes_.beta.end());
  std::reverse(rates.begin(), rates.end());
  place_temperatures({lanes_.beta.data(), count_ - target_}, {rates.data(), count_ - 1 - target_});
  std::reverse(lanes_.beta.begin(), lanes_.beta.end());
  fit_reference();
  for (std::size_t k = 0; k < count_; ++k) {
    const std::vector<double> variances = moments_[k].shrunk();
    for (std::size_t i = 0; i < lanes_.dim(); ++i) lanes_.inv_metric[i * count_ + k] = variances[i];
    // Towards ten times a tenth: the metric is new, the step size's order of magnitude is not.
    lanes_.step_size[k] = step_sizes_[k].average();
    step_sizes_[k].restart(0.1 * lanes_.step_size[k]);
    moments_[k].restart();
  }
  std::fill(rejections_.begin(), rejections_.end(), 0.0);
  std::fill(tries_.begin(), tries_.end(), 0.0);
}

void Tempering::fit_reference() {
  Reference fitted{moments_[target_].mean(), moments_[target_].shrunk()};
  for (double& sd : fitted.sd) sd = std::sqrt(sd);
  for (std::size_t k = target_ + 1; k < count_; ++k) lanes_.set_reference(k, fitted);
}

double Tempering::barrier(std::size_t first, std::size_t last) const {
  double sum = 0;
  for (std::size_t k = first; k < last; ++k) sum += tries_[k] > 0 ? rejections_[k] / tries_[k] : 0;
  return sum;
}

void Tempering::archive(Archive& archive) {
  lanes_.archive(archive);
  for (DualAveraging& step_size : step_sizes_) step_size.archive(archive);
  for (RunningMoments& moments : moments_) moments.archive(archive);
  for (std::vector<double>* numbers : {&rejections_, &tries_, &is_fresh_}) archive_fixed(archive, *numbers);
  archive.value(restarts_);
  archive.value(iteration_);
}

std::optional<Adaptation> Tempering::adaptation() const {
  Adaptation result{lanes_.step_size[target_], Metric::diagonal, {}};
  for (std::size_t i = 0; i < lanes_.dim(); ++i)
    result.inv_metric.push_back(lanes_.inv_metric[i * count_ + target_]);
  return result;
}

Findings Tempering::findings() const {
  if (iteration_ < options_[option::kWarmup] + options_[option::kDraws] || restarts_ >= kFewRestarts)
    return {};
  const double fixed = barrier(0, target_);
  const double fitted = barrier(target_, count_ - 1);
  // Syed et al.: about 2 Lambda gaps on a leg; both legs, and the target.
  const double needed =
      std::max(2 * std::ceil(2 * std::max(fixed, fitted)) + 1, 1.5 * static_cast<double>(count_));
  return {{"few-restarts",
           std::to_string(restarts_) +
               " independent states from the references reached the target: draws may "
               "not have seen every mode with its weight.",
           "barriers of the legs: " + text(fixed) + " (fixed reference), " + text(fitted) + " (fitted); " +
               std::to_string(count_) + " temperatures",
           "Use --temperatures " + text(needed) + " or more draws and warm-up."}};
}

std::unique_ptr<Algorithm> make_tempering(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<Tempering>(density, options, std::move(start));
}

}  // namespace

const Method& tempering_method() {
  static const Method method{
      .name = "tempering",
      .summary = "Parallel tempering between normal references and the posterior, without reversals",
      .use_when = "The posterior has separate modes whose weights matter; ten times the cost of one chain.",
      .citation =
          "Syed, Bouchard-Cote, Deligiannidis, Doucet (2022), Non-Reversible Parallel Tempering; "
          "Surjanovic, Syed, Bouchard-Cote, Campbell (2022), Parallel Tempering With a Variational "
          "Reference",
      .options = kOptions,
      .stats = kStats,
      .make = make_tempering,
  };
  return method;
}

}  // namespace kullback::infer
