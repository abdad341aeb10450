// An energy and its data as something to train, by Adam.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "deep/energy/fit/model.hpp"
#include "deep/train/adam.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

struct EbmTraining {
  double rate = 1e-3;
  Schedule schedule = Schedule::cosine;
  double energy_decay = 0;  // times the mean squares of the energies of data and chains (Du, Mordatch 2019)
};

// Of one epoch, means over its steps.
struct EbmFigures {
  double of_data = 0, of_chains = 0;  // energies
  double acceptance = 1;

  double gap() const { return of_data - of_chains; }
};

// Of all epochs; outlives the trainee that fills it.
struct EbmTrace {
  torch::Tensor rows = torch::zeros({0, 3}, torch::kFloat64);

  std::vector<EbmFigures> figures() const;
};

class EbmTrainee final : public Trainee {
 public:
  // `train` and `held_out` (undefined: none) are prepared rows.
  EbmTrainee(BuiltEbm& built, torch::Tensor train, torch::Tensor held_out, EbmTraining options,
             EbmTrace& trace);

  std::int64_t rows() const override { return train_.size(0); }
  torch::Device device() const override { return train_.device(); }
  // A chain whose energy leaves all bounds makes the loss NaN, which ends the training.
  torch::Tensor step(const StepContext& context) override;
  void end_epoch(std::int64_t epoch) override;
  // The log likelihood in the data's units, where the constant is to be had; else NaN.
  double held_out() override;
  void visit(const VisitTensor& visit) override;
  std::string first_not_finite() override;

 private:
  BuiltEbm& built_;
  torch::Tensor train_, held_out_;
  EbmTraining options_;
  Adam adam_;
  torch::Tensor sums_;  // of an epoch: steps, energies of data and chains, acceptance
  EbmTrace& trace_;
  torch::Tensor largest_;
};

// Mean of log p of prepared rows in the model's units, with the constant given.
double mean_log_density(const BuiltEbm& built, const torch::Tensor& rows, double log_partition);

}  // namespace kullback::deep
