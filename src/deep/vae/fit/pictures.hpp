// Pictures of an autoencoder.
#pragma once

#include "deep/data/pictures.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

inline Picture image_grid(const torch::Tensor& images, const VaeSpec& spec, std::int64_t columns) {
  const ImageShape image{.channels = spec.channels, .height = spec.height, .width = spec.width};
  return image_grid(images, image, columns);
}

}  // namespace kullback::deep
