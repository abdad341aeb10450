// Markov chains in exp(-E), all in one tensor.
#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/chains/potential.hpp"
#include "deep/energy/energy.hpp"

namespace kullback::deep {

// exp(-E_b) of given parameters, through which no gradients flow.
class ChainTarget final {
 public:
  ChainTarget(const Energy& energy, const Parameters& parameters, double b = 1)
      : energy_(energy), parameters_(parameters), b_(b) {}

  Potential potential(const torch::Tensor& x) const;
  torch::Tensor gibbs(const torch::Tensor& x) const { return energy_.gibbs(parameters_, x, b_, Noise()); }

 private:
  const Energy& energy_;
  const Parameters& parameters_;
  double b_;
};

struct ChainStep {
  torch::Tensor x;           // [chains, dim]
  torch::Tensor acceptance;  // mean over chains, one number; 1 where nothing is rejected
};

class ChainSampler {
 public:
  virtual ~ChainSampler() = default;

  // One transition of every chain. adapts: step sizes follow the chains, which is fair only before draws
  // count. Nothing is read back from the device.
  virtual ChainStep move(const ChainTarget& target, const torch::Tensor& x, bool adapts) = 0;
  // One number: the step size, or NaN where there is none.
  virtual double step_size() const = 0;
  virtual void visit(const VisitTensor& visit) = 0;
};

struct ChainSamplerRecord {
  std::string_view name;
  std::string_view summary;
  std::string_view citation;
  bool is_for_bits = false;  // for rows of 0 and 1, else for numbers
  bool is_adjusted = true;   // leaves exp(-E) invariant, whatever the step size
  OptionTable options;
  // `options`: type and device of chains; dim: of their states.
  std::unique_ptr<ChainSampler> (*make)(const OptionValues& values, std::int64_t dim,
                                        const torch::TensorOptions& options);
};

// In the order of deep/energy/samplers.def.
std::span<const ChainSamplerRecord* const> chain_samplers();
// Null where there is none.
const ChainSamplerRecord* find_chain_sampler(std::string_view name);

}  // namespace kullback::deep
