// A score network and its data as something to train: Adam, and a running mean of the parameters that is what
// is kept.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "deep/diffusion/bound.hpp"
#include "deep/diffusion/objective.hpp"
#include "deep/diffusion/times.hpp"
#include "deep/net/layout.hpp"
#include "deep/train/averaged.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep::diffusion {

// All that is learned from, in the model's units and on the device of the parameters.
struct Rows {
  torch::Tensor x;           // [rows, dims]
  torch::Tensor label = {};  // int64 [rows]; undefined: none

  std::int64_t size() const { return x.defined() ? x.size(0) : 0; }
};

struct Training {
  double rate = 1e-3;
  Schedule schedule = Schedule::cosine;
  TimesKind times = TimesKind::uniform;
  const WeightingRecord* weighting = nullptr;
  double label_dropout = 0.1;  // part of the rows whose label the network does not see
  double averaging = 0.999;    // of the running mean of the parameters
  std::int64_t labels = 0;
  DataUnits units = {};
  std::uint64_t seed = 0;
};

class DiffusionTrainee final : public Trainee {
 public:
  // Training begins at `mean` [1, size], which is then the running mean. Everything named outlives it.
  DiffusionTrainee(const Network& network, const Objective& objective, const Layout& layout,
                   torch::Tensor mean, Rows train, Rows held_out, Training options);

  std::int64_t rows() const override { return train_.size(); }
  torch::Device device() const override { return averaged_.flat().device(); }
  torch::Tensor step(const StepContext& context) override;
  // The mean variational bound of held-out rows, nats in the model's units; with a velocity less the loss.
  double held_out() override;
  void visit(const VisitTensor& visit) override;
  std::string first_not_finite() override;

 private:
  torch::Tensor losses(const Parameters& parameters, const Rows& rows, const Noise& noise,
                       torch::Tensor* beside, bool drops_labels) const;
  torch::Tensor gradient_of(const torch::Tensor& losses, const torch::Tensor& beside,
                            const torch::Tensor& flat, const StepContext& context) const;

  const Network& network_;
  const Objective& objective_;
  const Layout& layout_;
  Averaged averaged_;
  Rows train_, held_out_;
  Training options_;
  RatioTable table_;
};

}  // namespace kullback::deep::diffusion
