// What an autoencoder is trained to make large: bounds on log p(x) from draws of q(z | x), and their
// relatives.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/train/noise.hpp"
#include "deep/vae/vae.hpp"

namespace kullback::deep {

// One minibatch as an objective sees it.
struct Pass {
  const Vae& vae;
  const Parameters& parameters;
  torch::Tensor x;         // [rows, pixels], as observed
  torch::Tensor label;     // [rows, labels], or undefined
  torch::Tensor progress;  // one number: the part of the training that is done
  Noise noise;
  Mode mode = Mode::train;

  std::unique_ptr<LatentPosterior> posterior(const torch::Tensor& seen) const {
    return vae.posterior(parameters, seen, label, mode);
  }
  Terms terms(const LatentPosterior& q, const TermsRequest& request) const {
    return vae.terms(parameters, x, label, q, noise, request);
  }
};

constexpr auto samples_option(std::size_t preset) {
  return CountOption("samples", preset, "Draws of the latent variables of a row").from(1).to(100'000);
}
inline constexpr auto kSamples = samples_option(1);

struct ObjectiveLoss {
  torch::Tensor rows;               // [rows]: its gradient is that of the loss; the value need not be
  torch::Tensor encoder_rows = {};  // the same for the parameters of q; undefined: `rows`
  torch::Tensor shared = {};  // one number for the minibatch, added to the mean of the rows; undefined: 0
  torch::Tensor bound;        // [rows], detached: the objective's value in nats
};

class VaeObjective {
 public:
  virtual ~VaeObjective() = default;

  virtual ObjectiveLoss loss(const Pass& pass) const = 0;
  // Draws of a row in all.
  virtual std::int64_t samples() const = 0;
  // It compares the rows of a minibatch with one another, and so needs all of them on one machine.
  virtual bool mixes_rows() const { return false; }
};

struct VaeObjectiveRecord {
  std::string_view name;
  std::string_view summary;
  std::string_view use_when;
  std::string_view citation;
  OptionTable options;
  bool needs_density = false;  // of the family: LatentFamily::has_density()
  std::unique_ptr<VaeObjective> (*make)(const OptionValues& values, const VaeSpec& spec);
};

// In the order of deep/vae/objectives.def.
std::span<const VaeObjectiveRecord* const> vae_objectives();
const VaeObjectiveRecord* find_vae_objective(std::string_view name);

}  // namespace kullback::deep
