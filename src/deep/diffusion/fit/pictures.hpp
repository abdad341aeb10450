// Pictures of samples and of the way to them.
#pragma once

#include "deep/data/png.hpp"
#include "deep/diffusion/fit/sample.hpp"

namespace kullback::deep::diffusion {

// x [rows, dims] in the model's units: images in a grid, or points of the first two columns.
Picture samples_picture(const Built& built, const torch::Tensor& x);
// A row for each of a few samples, from noise on the left to data. Only of images.
Picture strip_picture(const Built& built, const torch::Tensor& strip);

}  // namespace kullback::deep::diffusion
