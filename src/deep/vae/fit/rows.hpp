// Rows for an autoencoder from files: IDX images, CSV and .npy tables.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kullback::deep {

struct ImageShape {
  std::int64_t channels = 1;
  std::int64_t height = 0;  // 0: rows are not images
  std::int64_t width = 0;
};

// "28x28", or "28x28x3" for three colours (stored colour by colour). Throws Error usage.
ImageShape image_named(const std::string& text);

struct RowsRequest {
  std::vector<std::filesystem::path> paths = {};
  std::string labels = {};                // an IDX file with images, a column of a table; empty: none
  std::string image = {};                 // of a table whose rows are images
  std::vector<std::string> ignored = {};  // columns of a table
  // For new rows of a trained model: the columns and labels it knows; empty: all.
  std::vector<std::string> names = {};
  std::vector<std::string> label_names = {};
};

struct RawRows {
  torch::Tensor x;  // on the CPU, [rows, pixels]: uint8 levels, or float64
  ImageShape image = {};
  std::vector<std::string> names = {};        // of the columns of a table; empty of IDX images
  torch::Tensor label = {};                   // int64 [rows]; undefined: none
  std::vector<std::string> label_names = {};  // of the numbers in `label`
};

// Throws Error that names the file and what is wrong.
RawRows read_rows(const RowsRequest& request);

// Each number of rows in [0, 1] (or of levels 0 .. 255) becomes 1 with that probability, else 0; always the
// same for one seed.
torch::Tensor binarised_once(const torch::Tensor& x, std::uint64_t seed);

}  // namespace kullback::deep
