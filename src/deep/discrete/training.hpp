// A denoising network and its rows as something to train.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "deep/diffusion/score_net.hpp"
#include "deep/discrete/process.hpp"
#include "deep/train/averaged.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep::discrete {

// Estimates of the bound on log p(x) in nats, [rows], on the CPU: means over `draws`, whose times are spread
// evenly, by LibTorch's generator.
torch::Tensor bounds(const Process& process, const Denoiser& denoiser, const torch::Tensor& x,
                     std::int64_t draws);
// How often it asks the denoiser.
std::int64_t evaluations_of_bounds(const Process& process, const torch::Tensor& x, std::int64_t draws);
// About 20 evaluations for each row, and one draw at least.
std::int64_t default_draws(const Process& process);

struct Training {
  double rate = 1e-3;
  Schedule schedule = Schedule::cosine;
  double averaging = 0.999;  // of the running mean of the parameters
  std::uint64_t seed = 0;
};

class DiscreteTrainee final : public Trainee {
 public:
  // Training begins at `mean` [1, size], which is then the running mean. Rows are int64 [rows, dims], on its
  // device; those held out may be undefined. Everything named outlives it.
  DiscreteTrainee(const Process& process, const diffusion::ScoreNet& net, const Layout& layout,
                  torch::Tensor mean, torch::Tensor train, torch::Tensor held_out, Training options);

  std::int64_t rows() const override { return train_.size(0); }
  torch::Device device() const override { return averaged_.flat().device(); }
  torch::Tensor step(const StepContext& context) override;
  // The mean bound of held-out rows, nats.
  double held_out() override;
  void visit(const VisitTensor& visit) override { averaged_.visit(visit); }
  std::string first_not_finite() override { return averaged_.first_not_finite(layout_); }

 private:
  const Process& process_;
  const diffusion::ScoreNet& net_;
  const Layout& layout_;
  Averaged averaged_;
  torch::Tensor train_, held_out_;
  Training options_;
};

}  // namespace kullback::deep::discrete
