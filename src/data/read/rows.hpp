// Rows of a table in a file.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/cells.hpp"
#include "data/read/columns.hpp"
#include "data/read/lines.hpp"

namespace kullback::data {

class Rows {
 public:
  virtual ~Rows() = default;
  // Reads the next row: cells() and key() are of it. False at the end. Throws Error.
  virtual bool next() = 0;
  std::span<const double> cells() const { return cells_; }
  // Of the sequence it belongs to.
  const std::string& key() const { return key_; }
  // Where the row that `next` gave begins, for messages and to go back to.
  virtual Where where() const = 0;
  virtual Place place() const = 0;
  virtual void go(Place place) = 0;
  // In the units of Place::offset; 0 where it is not known.
  virtual std::uint64_t file_size() const = 0;

 protected:
  std::vector<double> cells_;
  std::string key_;
};

// Names of the columns of a file.
std::vector<std::string> read_csv_header(const std::filesystem::path& path);
std::vector<std::string> read_npy_header(const std::filesystem::path& path);

std::unique_ptr<Rows> open_csv_rows(const std::filesystem::path& path, const Columns& columns, Cells& cells);
std::unique_ptr<Rows> open_npy_rows(const std::filesystem::path& path, const Columns& columns, Cells& cells);

}  // namespace kullback::data
