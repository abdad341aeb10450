// The two networks of an autoencoder. Rows are flat: [1, rows, numbers].
#pragma once

#include <cstdint>

#include "deep/net/net.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// Inputs of the encoder: pixels, then one-hot labels (of convolutions: one constant plane for each label).
std::int64_t label_inputs(const VaeSpec& spec);
// Throws Error usage for images that the convolutions cannot halve.
Net encoder_net(Layout& layout, const VaeSpec& spec, std::int64_t outputs);
// Inputs: latent variables, then one-hot labels.
Net decoder_net(Layout& layout, const VaeSpec& spec, std::int64_t latent, std::int64_t outputs_per_pixel);

}  // namespace kullback::deep
