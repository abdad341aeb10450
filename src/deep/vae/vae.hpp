// A variational autoencoder: two networks, the family of q(z | x), the likelihood p(x | z) and the prior
// p(z), all of whose parameters are one flat tensor [1, size].
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "deep/net/layout.hpp"
#include "deep/net/net.hpp"
#include "deep/vae/decoder_likelihood.hpp"
#include "deep/vae/latent_family.hpp"
#include "deep/vae/latent_prior.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// Which gradient log p(x, z) - log q(z | x) of draws carries to the parameters of q.
enum class DrawGradient {
  total,  // z is reparameterised, log q depends on z and on its parameters
  path,   // z is reparameterised, log q depends on z alone (Roeder et al. 2017; Tucker et al. 2019)
  score,  // z is fixed, log q depends on its parameters alone
};

struct TermsRequest {
  std::int64_t samples = 1;
  DrawGradient gradient = DrawGradient::total;
  bool closed_kl = false;  // where it exists
};

// Of draws z ~ q(z | x). Where `kl` is defined, log_prior and log_q are not.
struct Terms {
  torch::Tensor z;               // [samples, rows, latent]
  torch::Tensor log_likelihood;  // [samples, rows]
  torch::Tensor log_prior = {};  // [samples, rows]
  torch::Tensor log_q = {};      // [samples, rows]
  torch::Tensor kl = {};         // [rows]
  torch::Tensor penalty = {};    // [rows], to be added to the loss; undefined: none

  torch::Tensor log_joint() const { return log_likelihood + log_prior; }
  torch::Tensor log_weight() const { return log_likelihood + log_prior - log_q; }
};

class Vae final {
 public:
  Vae(VaeSpec spec, std::unique_ptr<LatentFamily> family, std::unique_ptr<DecoderLikelihood> likelihood,
      std::unique_ptr<LatentPrior> prior);

  const VaeSpec& spec() const { return spec_; }
  const Layout& layout() const { return layout_; }
  const Net& encoder() const { return encoder_; }
  const Net& decoder() const { return decoder_; }
  LatentFamily& family() const { return *family_; }
  const DecoderLikelihood& likelihood() const { return *likelihood_; }
  const LatentPrior& prior() const { return *prior_; }
  Parameters split(const torch::Tensor& flat) const { return Parameters(layout_, flat); }
  // Coordinates of the flat tensor that belong to q(z | x): [0, this). The decoder's and the prior's follow.
  std::int64_t encoder_size() const { return encoder_size_; }

  // Fresh parameters [1, size], the parts' own starts among them. `rows` [rows, pixels]: some of the data.
  torch::Tensor fresh(const torch::Tensor& rows, std::uint64_t seed) const;

  // In all that follows x is [rows, pixels] as DecoderLikelihood::observe gives it; label is [rows, labels],
  // one-hot, or undefined.
  // What the two networks get, [1, rows, inputs].
  torch::Tensor encoder_input(const torch::Tensor& x, const torch::Tensor& label) const;
  torch::Tensor decoder_input(const torch::Tensor& z, const torch::Tensor& label) const;
  torch::Tensor encode(const Parameters& parameters, const torch::Tensor& x,
                       const torch::Tensor& label) const;
  std::unique_ptr<LatentPosterior> posterior(const Parameters& parameters, const torch::Tensor& x,
                                             const torch::Tensor& label, Mode mode) const;
  // The decoder's outputs for z [samples, rows, latent]: [samples, rows, outputs].
  torch::Tensor decode(const Parameters& parameters, const torch::Tensor& z,
                       const torch::Tensor& label) const;
  torch::Tensor log_likelihood(const Parameters& parameters, const torch::Tensor& x,
                               const torch::Tensor& label, const torch::Tensor& z) const;
  torch::Tensor log_prior(const Parameters& parameters, const torch::Tensor& z) const;
  // log p(x, z) at z [samples, rows, latent]: [samples, rows].
  torch::Tensor log_joint(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& label,
                          const torch::Tensor& z) const;
  // Throws Error usage where the family has no density and the gradient asks for it.
  Terms terms(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& label,
              const LatentPosterior& posterior, const Noise& noise, const TermsRequest& request) const;

 private:
  VaeSpec spec_;
  Layout layout_;
  std::unique_ptr<LatentFamily> family_;
  std::unique_ptr<DecoderLikelihood> likelihood_;
  std::unique_ptr<LatentPrior> prior_;
  Net encoder_;
  Net decoder_;
  std::int64_t encoder_size_ = 0;
};

}  // namespace kullback::deep
