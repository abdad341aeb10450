// Pictures of an energy: images in a grid, the density of two columns with draws on it.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/data/png.hpp"
#include "deep/energy/fit/model.hpp"

namespace kullback::deep {

// Images [count, dim] in the model's units, eight in a row.
Picture ebm_images(const BuiltEbm& built, const torch::Tensor& x);
// Of a model of two columns: the darker the denser, with draws [count, 2] (the model's units) as points; the
// second column goes up. The picture reaches as far as the draws do, and a little further.
Picture density_map(const BuiltEbm& built, const torch::Tensor& draws);

}  // namespace kullback::deep
