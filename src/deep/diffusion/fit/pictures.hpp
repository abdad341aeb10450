// Pictures of samples and of the way to them.
#pragma once

#include "deep/data/png.hpp"
#include "deep/diffusion/fit/sample.hpp"

namespace kullback::deep::diffusion {

// x [rows, dims] in the model's units: images in a grid, or points of the first two columns.
Picture samples_picture(const Built& built, const torch::Tensor& x);
// A row for each of a few samples, from noise on the left to data. Only of images.
Picture strip_picture(const Built& built, const torch::Tensor& strip);

// In the data's own units. Images [rows, pixels] of this shape, with so many in a row; NaN is grey.
Picture own_images_picture(const Built& built, const ImageShape& image, const torch::Tensor& own,
                           std::int64_t columns);
// Points [groups, rows, 2] of the plane, a colour for each group.
Picture own_points_picture(const torch::Tensor& own);

}  // namespace kullback::deep::diffusion
