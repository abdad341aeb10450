// Rows and images from files: IDX images, .npy arrays of them, CSV and .npy tables.
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

// What the columns of a table are.
enum class Cells {
  numbers,
  categories,  // text, or whole numbers; columns with decimals stay numbers
  counts,      // 0, 1, 2 ...
};

struct RowsRequest {
  std::vector<std::filesystem::path> paths = {};
  std::string labels = {};                // an IDX or .npy file with images, a column of a table; empty: none
  std::string image = {};                 // of a table whose rows are images
  std::vector<std::string> ignored = {};  // columns of a table
  Cells cells = Cells::numbers;           // of a table whose rows are not images
  // For new rows of a trained model: the columns, their categories and labels it knows; empty: all.
  std::vector<std::string> names = {};
  std::vector<std::vector<std::string>> levels = {};
  std::vector<std::string> label_names = {};
};

struct RawRows {
  torch::Tensor x;  // on the CPU, [rows, pixels]: uint8 levels, or float64
  ImageShape image = {};
  std::vector<std::string> names = {};                // of the columns of a table; empty of images
  std::vector<std::vector<std::string>> levels = {};  // of categories: what the numbers of a column stand for
  torch::Tensor label = {};                           // int64 [rows]; undefined: none
  std::vector<std::string> label_names = {};          // of the numbers in `label`
};

// Whether DATA is a file of images, not a table: an IDX file (also one that only its name says to be), a .npy
// array of 3 or 4 dimensions, or a .npy matrix whose labels are in a file of their own.
bool holds_images(const RowsRequest& request);
// Throws Error that names the file and what is wrong.
RawRows read_rows(const RowsRequest& request);
// Whole numbers from 0 to 255, and not only 0 and 1.
bool are_levels(const torch::Tensor& x);

}  // namespace kullback::deep
