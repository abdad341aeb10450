// Matrices into files and out of them: CSV, NumPy's .npy, IDX.
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

// What a file holds: an array of .npy (of up to four dimensions) or IDX, or [rows, columns] of a CSV file,
// with or without a line of names. float64; missing cells are NaN. Throws Error.
torch::Tensor read_numbers(const std::filesystem::path& file);

}  // namespace kullback::deep
