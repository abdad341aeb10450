// A denoiser by a network.
#pragma once

#include <torch/types.h>

#include <functional>
#include <utility>

#include "deep/diffusion/score_net.hpp"
#include "deep/discrete/process.hpp"

namespace kullback::deep::discrete {

// What the network's inputs and outputs are, filled into a spec that says how it is built. Columns are the
// pixels of images where the spec has a height; `channels` are then those of the images.
diffusion::NetSpec net_spec(diffusion::NetSpec spec, const Process& process, std::int64_t dims);

class NetDenoiser final : public Denoiser {
 public:
  // Process and network outlive it.
  NetDenoiser(const Process& process, const diffusion::ScoreNet& net, Parameters parameters)
      : process_(process), net_(net), parameters_(std::move(parameters)) {}

  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override;

 private:
  const Process& process_;
  const diffusion::ScoreNet& net_;
  Parameters parameters_;
};

// Tells of each evaluation, for progress and to be interrupted.
class WatchedDenoiser final : public Denoiser {
 public:
  // `denoiser` outlives it.
  WatchedDenoiser(const Denoiser& denoiser, std::function<void()> before)
      : denoiser_(denoiser), before_(std::move(before)) {}

  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override {
    before_();
    return denoiser_.at(state, t);
  }

 private:
  const Denoiser& denoiser_;
  std::function<void()> before_;
};

}  // namespace kullback::deep::discrete
