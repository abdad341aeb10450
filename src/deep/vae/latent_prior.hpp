// p(z).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/net/layout.hpp"
#include "deep/train/noise.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

class Vae;

class LatentPrior {
 public:
  virtual ~LatentPrior() = default;

  // Slots of its own; called once, before all else.
  virtual void add_slots(Layout& /*layout*/) {}
  // Values of its own slots before training, from some rows of the data [rows, pixels].
  virtual void start(const Parameters& /*parameters*/, const torch::Tensor& /*rows*/) {}
  // log p(z) at z [samples, rows, latent]: [samples, rows]. The autoencoder is that of the prior (VampPrior
  // asks its encoder).
  virtual torch::Tensor log_density(const Vae& vae, const Parameters& parameters,
                                    const torch::Tensor& z) const = 0;
  // [count, latent]
  virtual torch::Tensor sample(const Vae& vae, const Parameters& parameters, std::int64_t count,
                               const Noise& noise) const = 0;
  // N(0, I): families know their KL divergence from it.
  virtual bool is_standard() const { return false; }
  // The first coordinates of z that the decoder sees; 0: all. Others are deeper layers of latent variables.
  virtual std::int64_t decoded() const { return 0; }
};

struct LatentPriorRecord {
  std::string_view name;
  std::string_view summary;
  std::string_view use_when;
  std::string_view citation;
  OptionTable options;
  bool needs_density = false;  // of the family: LatentFamily::has_density()
  std::unique_ptr<LatentPrior> (*make)(const OptionValues& values, const VaeSpec& spec);
};

// In the order of deep/vae/priors.def.
std::span<const LatentPriorRecord* const> latent_priors();
const LatentPriorRecord* find_latent_prior(std::string_view name);

}  // namespace kullback::deep
