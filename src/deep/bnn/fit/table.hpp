// A table as it was read, and how its columns become the inputs and the target of a network: numbers are
// standardised, categories become one input for each level, a missing cell gets the column's mean or
// commonest level and, where training rows lack it too, an input of its own that says so. Images are a table
// whose only column is the target, with the pixels beside it, which are standardised colour by colour.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fields.hpp"
#include "data/batch.hpp"
#include "deep/data/rows.hpp"

namespace kullback::deep {

struct Table {
  data::Shape shape;          // the target is the last column
  std::vector<double> cells;  // [rows, columns]; NaN: missing; categories as numbers of levels
  std::size_t rows = 0;
  std::size_t without_target = 0;  // rows that were left out
  torch::Tensor pixels = {};       // of images: uint8 levels or float64, [rows, pixels]
  ImageShape image = {};
  std::vector<std::string> pixel_names = {};  // of images in the columns of a table

  double at(std::size_t row, std::size_t column) const { return cells[row * shape.columns + column]; }
  double target(std::size_t row) const { return at(row, shape.columns - 1); }
};

struct TableRequest {
  std::vector<std::filesystem::path> paths = {};
  std::string target = {};
  std::vector<std::string> ignored = {};
  enum class Target { number, category, either };  // either: text, or numbers of two values, are classes
  Target kind = Target::either;
  bool has_images = false;            // the file holds images, not a table
  std::string labels = {};            // of images: the file with their classes, which are the target
  std::string image = {};             // "28x28": the other columns are the pixels of an image
  const data::Shape* like = nullptr;  // of a trained network: rows without a target are kept
};
// Throws Error that names file, line and column.
Table read_table(const TableRequest& request);

struct InputColumn {
  std::string name = {};
  std::vector<std::string> levels = {};  // empty: numbers
  double mean = 0;                       // of numbers
  double sd = 1;                         // 1 where all rows are equal
  double fill = 0;                       // for a missing cell: the mean, or the number of a level
  bool has_indicator = false;            // some training rows lack it

  std::int64_t inputs() const {
    return (levels.empty() ? 1 : static_cast<std::int64_t>(levels.size())) + (has_indicator ? 1 : 0);
  }
};

struct ImageInputs {
  ImageShape shape = {};
  bool has_levels = false;                // 0 .. 255, which stand for 0 .. 1
  std::vector<double> mean = {};          // of each colour
  std::vector<double> sd = {};            // 1 where all pixels are equal
  std::vector<std::string> columns = {};  // of a table with a column for each pixel

  bool exists() const { return shape.height > 0; }
  std::int64_t pixels() const { return shape.channels * shape.height * shape.width; }
  std::string text() const;  // "28 x 28", "32 x 32 x 3"
};

struct Preparation {
  std::vector<InputColumn> columns = {};  // of images: none
  ImageInputs image = {};
  std::string target = {};
  std::vector<std::string> classes = {};  // empty: a number
  double target_mean = 0;
  double target_sd = 1;

  bool is_classification() const { return !classes.empty(); }
  std::int64_t inputs() const;
  data::Shape shape() const;
  // [rows, inputs()] and [rows] (classes as int64, numbers standardised), on the CPU, of those rows.
  torch::Tensor x(const Table& table, const std::vector<std::size_t>& rows) const;
  torch::Tensor y(const Table& table, const std::vector<std::size_t>& rows) const;
};

// From the rows that are trained on. Throws Error bad_input for a target that does not vary.
Preparation prepare(const Table& table, const std::vector<std::size_t>& rows);

std::string to_json(const Preparation& preparation, const std::string& indent);
Preparation read_preparation(const JsonFields& json);

}  // namespace kullback::deep
