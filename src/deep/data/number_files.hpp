// Matrices into files: CSV, or NumPy's .npy by the name's ending.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kullback::deep {

// `numbers` [rows, columns]. A .npy file has no names. Throws Error cannot_write, or usage for another
// ending.
void write_matrix(const std::filesystem::path& file, const std::vector<std::string>& names,
                  const torch::Tensor& numbers);

// CSV with the names of categories: levels[i] are those of column i, `values` int64 [rows, columns].
void write_categories(const std::filesystem::path& file, const std::vector<std::string>& names,
                      const std::vector<std::vector<std::string>>& levels, const torch::Tensor& values);

}  // namespace kullback::deep
