// Pictures of rows: images in a grid, points in the plane.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/data/png.hpp"
#include "deep/data/rows.hpp"

namespace kullback::deep {

// Images [count, pixels] in [0, 1], row by row with so many in a row.
Picture image_grid(const torch::Tensor& images, const ImageShape& image, std::int64_t columns);
// Points [rows, latent] in the plane: as they are where there are two coordinates, else in the two directions
// of largest variance. Coloured by label (int64 [rows]) where there is one.
Picture latent_map(const torch::Tensor& points, const torch::Tensor& label);
// [rows, 2]; a single coordinate gets zeros beside it.
torch::Tensor in_the_plane(const torch::Tensor& points);

}  // namespace kullback::deep
