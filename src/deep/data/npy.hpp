// NumPy arrays of up to four dimensions (images have 3, with colours 4), as tensors.
#pragma once

#include <torch/types.h>

#include <filesystem>

namespace kullback::deep {

// By the first bytes. False also where the file cannot be read.
bool is_npy(const std::filesystem::path& path);
// Of a file that is_npy.
std::int64_t npy_dimensions(const std::filesystem::path& path);
// uint8 where the array has them, else float64; gzipped too. Throws Error bad_input that says what is wrong.
torch::Tensor read_npy(const std::filesystem::path& path);

}  // namespace kullback::deep
