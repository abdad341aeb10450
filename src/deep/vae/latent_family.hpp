// q(z | x): a family of densities of the latent variables, whose parameters for a row are the encoder's
// outputs.
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
#include "deep/train/trainee.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// `train`: statistics of the minibatch are used and averaged into the state (batch normalisation);
// `evaluate`: those of the state.
enum class Mode { train, evaluate };

struct LatentDraws {
  torch::Tensor z;             // [samples, rows, latent]
  torch::Tensor log_q = {};    // [samples, rows]; undefined unless asked for
  torch::Tensor penalty = {};  // [rows], to be added to the loss (vector quantisation); undefined: none
};

// Means and standard deviations of the latent variables, [rows, latent].
struct Moments {
  torch::Tensor mean;
  torch::Tensor sd;
};

// q(z | x) for the rows of a minibatch.
class LatentPosterior {
 public:
  virtual ~LatentPosterior() = default;

  // Reparameterised: gradients flow through z, and through log q both by z and by the parameters. The noise
  // is noise.normal or noise.uniform of shape [samples, rows, ...] with row_dim 1.
  virtual LatentDraws rsample(std::int64_t samples, const Noise& noise, bool wants_log_q) const = 0;
  // log q(z | x) at z [samples, rows, latent]: [samples, rows]. Only where the family has_density().
  virtual torch::Tensor log_density(const torch::Tensor& z) const = 0;
  // The same density, whose parameters carry no gradient. Only where the family has_density().
  virtual std::unique_ptr<LatentPosterior> stopped() const = 0;
  // Exact where it is known, otherwise of draws from LibTorch's generator.
  virtual Moments moments() const = 0;
  // KL(q || N(0, I)), [rows]; undefined where it has no closed form.
  virtual torch::Tensor kl_to_standard() const { return {}; }
};

class LatentFamily {
 public:
  virtual ~LatentFamily() = default;

  // Numbers of a row that the encoder must give.
  virtual std::int64_t encoder_outputs() const = 0;
  // Slots of parameters that are the same for all rows; called once, before all else. They count as the
  // encoder's.
  virtual void add_slots(Layout& /*layout*/) {}
  // Values of its own slots before training, where zeros (or fresh weights) will not do.
  virtual void start(const Parameters& /*parameters*/) {}
  // outputs: [rows, encoder_outputs()], the encoder's or any other (refined for each row).
  virtual std::unique_ptr<LatentPosterior> at(const Parameters& parameters, const torch::Tensor& outputs,
                                              Mode mode) = 0;
  // Whether log_density() and stopped() exist: not of flows that can only be run forwards.
  virtual bool has_density() const { return true; }
  // Whether `train` looks at all rows of the minibatch together.
  virtual bool mixes_rows() const { return false; }
  // State that is no parameter (running averages).
  virtual void visit(const VisitTensor& /*visit*/) {}
};

struct LatentFamilyRecord {
  std::string_view name;     // "gaussian"
  std::string_view summary;  // one clause
  std::string_view use_when;
  std::string_view citation;
  OptionTable options;
  std::unique_ptr<LatentFamily> (*make)(const OptionValues& values, const VaeSpec& spec);
};

// In the order of deep/vae/families.def.
std::span<const LatentFamilyRecord* const> latent_families();
// Null where there is none.
const LatentFamilyRecord* find_latent_family(std::string_view name);

}  // namespace kullback::deep
