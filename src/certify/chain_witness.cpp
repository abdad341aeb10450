// After t transitions the mean of the chains has gone from E_q x a part 1 - rho_t of the way to E_p x, rho_t
// the correlation of x_t with x_0: drift / (1 - rho_t) estimates the error of q (a heuristic: it takes the
// slowest direction to be the one in which q is wrong). Chains are independent, so that the spread of their
// means gives the standard error, whatever the autocorrelation within them.
#include "certify/chain_witness.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/try_thread.hpp"
#include "certify/quantities.hpp"
#include "stats/chains.hpp"

namespace kullback::certify {

namespace {

constexpr std::size_t kAdaptations = 8;
constexpr std::size_t kAtOnce = 8;                           // transitions whose states are held
constexpr std::size_t kSums = 2 + SteinControls::kControls;  // for each quantity and chain
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double correlation(std::span<const double> a, std::span<const double> b) {
  const auto count = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mean_a += a[i] / count, mean_b += b[i] / count;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

std::vector<double> squared_offsets(std::span<const double> values) {
  const double mean = stats::mean(values);
  std::vector<double> result;
  for (const double value : values) result.push_back((value - mean) * (value - mean));
  return result;
}

// Mean over independent chains; with controls where they help.
Estimate mean_over_chains(const std::vector<double>& by_chain, const double* controls) {
  const auto plain_estimate = [](const std::vector<double>& values) {
    return Estimate{stats::mean(values), stats::sd(values) / std::sqrt(static_cast<double>(values.size()))};
  };
  const Estimate plain = plain_estimate(by_chain);
  if (controls == nullptr) return plain;
  const std::vector<double> equal(by_chain.size(), 1.0);
  const Estimate controlled = plain_estimate(without_controls(by_chain, controls, by_chain.size(), equal));
  return controlled.error < plain.error ? controlled : plain;
}

}  // namespace

// What one thread moves, and the states of its last transitions.
struct ChainWitness::Block {
  std::unique_ptr<density::LogDensity> density;
  std::unique_ptr<model::OutputWriter> outputs;
  std::unique_ptr<Quantities> quantities;
  std::unique_ptr<LaneChains> chains;
  double acceptance = 0;                    // sum over transitions after adaptation
  std::vector<std::vector<double>> values;  // by transition
  std::vector<std::vector<double>> controls;
};

ChainWitness::~ChainWitness() = default;

ChainWitness::ChainWitness(density::LogDensity& density, model::OutputWriter& outputs, const Scaling& scaling,
                           const SteinControls& controls, std::span<const double> starts,
                           std::span<const double> centers, ChainWitnessSetting setting)
    : quantities_(outputs.parameter_columns()),
      chains_(starts.size() / density.dim()),
      controls_(controls),
      setting_(std::move(setting)),
      centers_(centers.begin(), centers.end()) {
  Quantities at_start(outputs);
  start_values_ = at_start.evaluate(starts, chains_);
  for (std::size_t first = 0; first < chains_; first += kLanes) {
    auto block = std::make_unique<Block>();
    block->density = density.clone();
    block->outputs = outputs.clone();
    const bool is_cloned = block->density != nullptr && block->outputs != nullptr;
    if (!is_cloned) setting_.threads = 1;
    block->quantities = std::make_unique<Quantities>(is_cloned ? *block->outputs : outputs);
    block->chains = std::make_unique<LaneChains>(
        is_cloned ? *block->density : density, scaling,
        ChainsName{setting_.seed, static_cast<std::uint32_t>(first / kLanes)},
        starts.subspan(first * density.dim(), std::min(kLanes, chains_ - first) * density.dim()));
    blocks_.push_back(std::move(block));
  }
  begin_sums();
}

void ChainWitness::begin_sums() {
  states_.clear();
  sums_.assign(quantities_ * kSums * chains_, 0.0);
  mean_correlations_.assign(quantities_, 0.0);
  square_correlations_.assign(quantities_, 0.0);
}

// Blocks do not know of each other: how many threads there are changes nothing.
bool ChainWitness::run_blocks(std::size_t transitions) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_stopped{false};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto move_blocks = [&] {
    for (std::size_t b = next++; b < blocks_.size(); b = next++) {
      Block& block = *blocks_[b];
      block.values.clear();
      block.controls.clear();
      for (std::size_t t = 0; !is_adapted_ && t < kAdaptations && !is_stopped; ++t) {
        block.chains->move(true);
        if (setting_.should_stop()) is_stopped = true;
      }
      for (std::size_t t = 0; t < transitions && !is_stopped; ++t) {
        block.chains->move(false);
        block.acceptance += block.chains->acceptance();
        const std::vector<double> theta = block.chains->theta();
        block.values.push_back(block.quantities->evaluate(theta, block.chains->lanes()));
        block.controls.push_back(controls_.is_available() ? controls_.evaluate(block.chains->lanes(), theta,
                                                                               block.chains->gradient())
                                                          : std::vector<double>());
        if (setting_.should_stop()) is_stopped = true;
      }
    }
  };
  const auto work = [&] {
    try {
      move_blocks();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      is_stopped = true;
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t count = std::clamp<std::size_t>(setting_.threads, 1, blocks_.size());
    while (helpers.size() + 1 < count && try_start(helpers, work)) {
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
  is_adapted_ = true;
  return !is_stopped;
}

bool ChainWitness::run_until(std::size_t transitions) {
  if (!is_forgotten_ && transitions_ > 0) begin_sums();  // the later half
  while (transitions_ < transitions) {
    const std::size_t now = std::min(kAtOnce, transitions - transitions_);
    if (!run_blocks(now)) return false;
    for (std::size_t t = 0; t < now; ++t) take_transition(t);
    transitions_ += now;
  }
  return true;
}

void ChainWitness::take_transition(std::size_t index) {
  std::vector<double> values(quantities_ * chains_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<double>& part = blocks_[b]->values[index];
    const std::size_t lanes = blocks_[b]->chains->lanes();
    for (std::size_t j = 0; j < quantities_; ++j)
      std::copy_n(part.data() + j * lanes, lanes, values.data() + j * chains_ + b * kLanes);
  }
  std::vector<double> means(quantities_);
  std::vector<double> squares(quantities_);
  double worst = -kInfinity;
  for (std::size_t j = 0; j < quantities_; ++j) {
    means[j] = correlation_with_start(j, values, false);
    squares[j] = correlation_with_start(j, values, true);
    worst = std::max({worst, means[j], squares[j]});
  }
  if (!is_forgotten_ && worst <= kMaxAutocorrelation) {
    begin_sums();
    is_forgotten_ = true;
  }
  for (std::size_t j = 0; j < quantities_; ++j) {
    mean_correlations_[j] += means[j];
    square_correlations_[j] += squares[j];
    double* sums = sums_.data() + j * kSums * chains_;
    for (std::size_t m = 0; m < chains_; ++m) {
      const double offset = values[j * chains_ + m] - centers_[j];
      sums[m] += offset;
      sums[chains_ + m] += offset * offset;
    }
    for (std::size_t b = 0; controls_.is_available() && b < blocks_.size(); ++b) {
      const std::size_t lanes = blocks_[b]->chains->lanes();
      for (std::size_t c = 0; c < SteinControls::kControls; ++c) {
        const double* part = blocks_[b]->controls[index].data() + (j * SteinControls::kControls + c) * lanes;
        double* sum = sums + (2 + c) * chains_ + b * kLanes;
        for (std::size_t k = 0; k < lanes; ++k) sum[k] += part[k];
      }
    }
  }
  states_.push_back(std::move(values));
}

double ChainWitness::correlation_with_start(std::size_t quantity, const std::vector<double>& values,
                                            bool of_squares) const {
  const std::span<const double> start(start_values_.data() + quantity * chains_, chains_);
  const std::span<const double> now(values.data() + quantity * chains_, chains_);
  return of_squares ? correlation(squared_offsets(start), squared_offsets(now)) : correlation(start, now);
}

MomentEstimate ChainWitness::moments(std::size_t quantity) const {
  const double* sums = sums_.data() + quantity * kSums * chains_;
  const auto count = static_cast<double>(states_.size());
  const auto mean_of = [&](std::size_t at) {
    std::vector<double> result(sums + at * chains_, sums + (at + 1) * chains_);
    for (double& value : result) value /= count;
    return result;
  };
  std::vector<double> controls;
  for (std::size_t c = 0; controls_.is_available() && c < SteinControls::kControls; ++c) {
    const std::vector<double> control = mean_of(2 + c);
    controls.insert(controls.end(), control.begin(), control.end());
  }
  const double* used = controls.empty() ? nullptr : controls.data();
  const std::vector<double> offsets = mean_of(0);
  const std::vector<double> squares = mean_of(1);
  MomentEstimate result;
  result.mean = mean_over_chains(offsets, used);
  const double offset = result.mean.value;
  std::vector<double> deviations(chains_);  // mean squared deviation from the mean
  for (std::size_t m = 0; m < chains_; ++m)
    deviations[m] = squares[m] - 2 * offset * offsets[m] + offset * offset;
  result.variance = mean_over_chains(deviations, used);
  // Controls do not know that a variance is positive.
  if (!(result.variance.value > 0)) result.variance = mean_over_chains(deviations, nullptr);
  result.mean.value += centers_[quantity];
  return result;
}

double ChainWitness::mean_autocorrelation(std::size_t quantity) const {
  return std::max(0.0, mean_correlations_[quantity] / static_cast<double>(states_.size()));
}

double ChainWitness::square_autocorrelation(std::size_t quantity) const {
  return std::max(0.0, square_correlations_[quantity] / static_cast<double>(states_.size()));
}

bool ChainWitness::supports(std::size_t quantity) const {
  return is_forgotten_ && mean_autocorrelation(quantity) <= kMaxAutocorrelation &&
         square_autocorrelation(quantity) <= kMaxAutocorrelation;
}

std::vector<double> ChainWitness::states(std::size_t quantity) const {
  std::vector<double> result;
  for (std::size_t m = 0; m < chains_; ++m) {
    for (const std::vector<double>& values : states_) result.push_back(values[quantity * chains_ + m]);
  }
  return result;
}

// Of the share of states below a place, each chain's share is an independent observation.
QuartileEstimate ChainWitness::quartiles(std::size_t quantity, double factor) const {
  const std::vector<double> values = states(quantity);
  const std::size_t length = states_.size();
  const auto interval = [&](double probability) {
    const double quantile = stats::quantile(values, probability);
    std::vector<double> shares(chains_);
    for (std::size_t m = 0; m < chains_; ++m) {
      for (std::size_t t = 0; t < length; ++t)
        shares[m] += values[m * length + t] <= quantile ? 1 / static_cast<double>(length) : 0.0;
    }
    const double half = factor * stats::sd(shares) / std::sqrt(static_cast<double>(chains_));
    return Interval{quantile, probability > half ? stats::quantile(values, probability - half) : -kInfinity,
                    probability + half < 1 ? stats::quantile(values, probability + half) : kInfinity};
  };
  return {interval(0.25), interval(0.5), interval(0.75)};
}

ChainFacts ChainWitness::facts() const {
  ChainFacts facts{.chains = chains_, .transitions = transitions_};
  for (const auto& block : blocks_) {
    facts.acceptance +=
        block->acceptance / static_cast<double>(blocks_.size() * std::max<std::size_t>(1, transitions_));
  }
  for (std::size_t j = 0; j < quantities_ && !states_.empty(); ++j)
    facts.autocorrelation =
        std::max({facts.autocorrelation, mean_autocorrelation(j), square_autocorrelation(j)});
  return facts;
}

std::uint64_t ChainWitness::gradients() const {
  std::uint64_t total = 0;
  for (const auto& block : blocks_) total += block->chains->gradients();
  return total;
}

}  // namespace kullback::certify
