// The second witness: short chains that leave the posterior as it is, started from draws of the
// approximation. Where they drift away, it was wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "certify/certificate.hpp"
#include "certify/estimates.hpp"
#include "certify/lane_chains.hpp"
#include "certify/stein_controls.hpp"
#include "model/output_writer.hpp"

namespace kullback::certify {

struct ChainWitnessSetting {
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::function<bool()> should_stop = [] { return false; };
};

class ChainWitness final {
 public:
  static constexpr std::size_t kLanes = 64;  // of a block, which one thread moves

  // `starts`: draws of the approximation, point after point, a multiple of kLanes of them with finite
  // densities. `centers`: near the mean of each quantity. Everything must outlive the object.
  ChainWitness(density::LogDensity& density, model::OutputWriter& outputs, const Scaling& scaling,
               const SteinControls& controls, std::span<const double> starts, std::span<const double> centers,
               ChainWitnessSetting setting);
  ~ChainWitness();

  // Until so many transitions have been made after those that set the step size; false where it was stopped.
  bool run_until(std::size_t transitions);

  // From the transitions since every autocorrelation with the start was at most kMaxAutocorrelation; where
  // there is none, from the later half.
  MomentEstimate moments(std::size_t quantity) const;
  // Of x (mean) and its squared deviation with those at the start, mean over the transitions used.
  double mean_autocorrelation(std::size_t quantity) const;
  double square_autocorrelation(std::size_t quantity) const;
  bool supports(std::size_t quantity) const;
  // Values at the states used, chain after chain.
  std::vector<double> states(std::size_t quantity) const;
  QuartileEstimate quartiles(std::size_t quantity, double factor) const;

  ChainFacts facts() const;
  std::uint64_t gradients() const;
  std::size_t chains() const { return chains_; }

  static constexpr double kMaxAutocorrelation = 0.5;

 private:
  struct Block;

  bool run_blocks(std::size_t transitions);
  void take_transition(std::size_t index);
  void begin_sums();
  double correlation_with_start(std::size_t quantity, const std::vector<double>& values,
                                bool of_squares) const;

  std::size_t quantities_;
  std::size_t chains_;
  const SteinControls& controls_;
  ChainWitnessSetting setting_;
  std::vector<double> centers_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<double> start_values_;  // quantity after quantity, one for each chain
  bool is_adapted_ = false;
  bool is_forgotten_ = false;  // the start, in the transitions used
  std::size_t transitions_ = 0;
  // Of the transitions used:
  std::vector<std::vector<double>> states_;  // by transition: quantity after quantity
  std::vector<double> sums_;                 // by quantity: x, x^2 (from the centre), controls; by chain
  std::vector<double> mean_correlations_;    // by quantity, summed
  std::vector<double> square_correlations_;
};

}  // namespace kullback::certify
