// Results as files: tables as CSV, at once or line by line, and the numbers of a model's state.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "conjugate/model.hpp"

namespace kullback::conjugate {

// Numbers have the fewest digits that read back to the same double; NaN is an empty cell. Names with
// separators or quotes stand in quotes.
std::string csv_text(const ResultTable& table);

// folder/NAME.csv, whole or not at all. Throws Error cannot_write.
void write_table(const std::filesystem::path& folder, const ResultTable& table);

// A table whose lines come in pieces. The file gets its name when all are there; before, it stands beside as
// NAME.new-PID, and goes with the writer.
class TableWriter final {
 public:
  // A first column of names where `row_head` is not empty. Throws Error cannot_write.
  TableWriter(std::filesystem::path path, const std::vector<std::string>& columns, std::string row_head = {});
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  // Lines one after another; as many names as lines where the table has names.
  void add(std::span<const double> cells, std::span<const std::string> row_names = {});
  void finish();

 private:
  void write(const std::string& text);

  std::filesystem::path path_;
  std::filesystem::path beside_;
  std::FILE* file_ = nullptr;
  std::size_t columns_;
  bool has_names_;
};

// A vector of numbers as a NumPy file, bit by bit. Throws Error cannot_write.
void write_npy(const std::filesystem::path& path, std::span<const double> numbers);
// All numbers of a NumPy file, in its order. Throws Error missing_file or bad_input.
std::vector<double> read_npy(const std::filesystem::path& path);

}  // namespace kullback::conjugate
