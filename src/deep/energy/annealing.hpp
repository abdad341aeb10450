// log Z and log p(x) of an energy by annealing along its path from the base.
//
// Forward (annealed importance sampling, Neal 2001): chains begin at draws of the base; the mean of their
// weights has the expectation Z, so that its logarithm is too low on average, and likelihoods too high.
// Reverse, from exact draws of the model: the mean of the weights has the expectation 1 / Z, so that log Z is
// too high on average. Both together are a sandwich (Grosse, Ghahramani, Adams 2015).
// RAISE (Burda, Grosse, Salakhutdinov 2015): from a row x back to the base; the mean of the weights has as
// its expectation the probability that a forward chain ends in x, and its logarithm is too low on average. It
// is the likelihood of the annealed model, which approaches the model's as steps are added.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "deep/energy/energy.hpp"

namespace kullback::deep {

struct AnnealingOptions {
  std::int64_t temperatures = 1000;
  std::int64_t chains = 1000;
  std::int64_t leapfrogs = 5;    // of a transition, of energies of numbers
  std::int64_t transitions = 1;  // at each temperature
  std::uint64_t seed = 1;
  std::int64_t rows_at_once = 16384;       // chains that are moved together
  std::function<bool()> should_stop = {};  // throws away what was begun: an Error usage is thrown
};

struct LogEstimate {
  double value = 0;
  double error = 0;      // standard error, by the delta method
  double effective = 0;  // chains that the weights leave: (sum w)^2 / sum w^2
};

struct RowLogEstimates {
  torch::Tensor value, error;  // [rows], on the CPU in double precision
};

class Annealing final {
 public:
  // Finds step sizes, for each temperature, with chains of its own.
  Annealing(const Energy& energy, Parameters parameters, const AnnealingOptions& options);

  LogEstimate log_partition() const;
  // From exact draws of the model [chains, dim].
  LogEstimate log_partition_reverse(const torch::Tensor& draws) const;
  // Of rows [rows, dim], with so many chains each.
  RowLogEstimates raise(const torch::Tensor& rows, std::int64_t chains) const;
  double acceptance() const { return acceptance_; }  // of the pilot's transitions, mean
  // Where forward chains end: [chains, dim], about draws of the model.
  torch::Tensor ends() const;

 private:
  struct Walk {
    torch::Tensor x;
    torch::Tensor log_weight;  // [chains], in double precision
  };

  void find_step_sizes();
  torch::Tensor moved(const torch::Tensor& x, std::size_t temperature) const;
  Walk forward() const;
  // From the model to the base: the sum of E_t(x_t) - E_{t-1}(x_t).
  Walk backward(torch::Tensor x) const;
  torch::Tensor difference(const torch::Tensor& x, std::size_t temperature) const;
  void seed(std::uint32_t index) const;
  void check_stop(std::size_t temperature) const;

  const Energy& energy_;
  Parameters parameters_;
  AnnealingOptions options_;
  std::vector<double> schedule_;
  std::vector<torch::Tensor> step_sizes_;  // one number each
  double acceptance_ = 1;
};

}  // namespace kullback::deep
