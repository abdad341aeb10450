// How an energy is fitted: the slope of log p(x) is E's mean slope over the model minus that at x, and what
// stands in for draws of the model is the training's choice.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/energy/chain_sampler.hpp"
#include "deep/energy/energy.hpp"

namespace kullback::deep {

// One minibatch.
struct EnergyPass {
  const Energy& energy;
  const Parameters& parameters;  // gradients flow to these
  const Parameters& fixed;       // the same without
  torch::Tensor x;               // [rows, dim]
  ChainSampler& sampler;
};

struct EnergyLoss {
  torch::Tensor loss;                // one number: its gradient is that of -log p, estimated
  torch::Tensor of_data, of_chains;  // mean energies, detached; of_chains as the model has it where exact
  torch::Tensor acceptance;          // of the chains' transitions, mean, detached
  torch::Tensor largest;             // the largest |energy| of a chain, detached
  torch::Tensor squares = {};        // mean squares of energies of data plus those of chains; undefined: none
  torch::Tensor energies_of_chains = {};  // [chains], detached; undefined: none
};

class EnergyTraining {
 public:
  virtual ~EnergyTraining() = default;

  virtual EnergyLoss loss(const EnergyPass& pass) = 0;
  // Chains that persist begin at the base. Once base and parameters are known.
  virtual void begin(const Energy& /*energy*/, const Parameters& /*parameters*/) {}
  // The transitions of a chain from the base that a sample is learned to have; 0: samples are draws of the
  // density.
  virtual std::int64_t learned_transitions() const { return 0; }
  // Chains that persist, [chains, dim], all of which count alike; undefined where none do.
  virtual torch::Tensor chains() const { return {}; }
  virtual void visit(const VisitTensor& /*visit*/) {}
};

// mean E(x) - mean E(chains), with chains moved by the sampler from `from`; `from` becomes where they end.
// weights: of the chains, sum 1; undefined: all alike.
EnergyLoss contrast(const EnergyPass& pass, torch::Tensor& from, std::int64_t transitions,
                    const torch::Tensor& weights = {});

struct EnergyTrainingRecord {
  std::string_view name;
  std::string_view summary;
  std::string_view use_when;
  std::string_view citation;
  bool needs_exact_partition = false;
  bool needs_adjusted_sampler = false;  // transitions must leave exp(-E) invariant
  OptionTable options;
  std::unique_ptr<EnergyTraining> (*make)(const OptionValues& values, const Energy& energy);
};

// In the order of deep/energy/trainings.def.
std::span<const EnergyTrainingRecord* const> energy_trainings();
// Null where there is none.
const EnergyTrainingRecord* find_energy_training(std::string_view name);

}  // namespace kullback::deep
