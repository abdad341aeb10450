// Rows and labels as networks read them.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace kullback::deep {

// Each number of rows in [0, 1] (or of levels 0 .. 255) becomes 1 with that probability, else 0; always the
// same for one seed.
torch::Tensor binarised_once(const torch::Tensor& x, std::uint64_t seed);

// Rows as numbers in the type of `like`, [count, pixels]; one-hot labels or undefined.
torch::Tensor rows_as_numbers(const torch::Tensor& x, const torch::TensorOptions& like);
torch::Tensor one_hot(const torch::Tensor& label, std::int64_t labels, const torch::TensorOptions& like);

}  // namespace kullback::deep
