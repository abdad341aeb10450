// NumPy files are read a megabyte at a time; of an array in Fortran order a part of each column.
#include <fmt/format.h>

#include <algorithm>

#include "data/read/npy_header.hpp"
#include "data/read/rows.hpp"

namespace kullback::data {

namespace {

constexpr std::size_t kChunkBytes = 1U << 20;

class NpyRows final : public Rows {
 public:
  NpyRows(const std::filesystem::path& path, const Columns& columns, Cells& cells)
      : path_(path), rules_(cells), bytes_(open_bytes(path)), header_(read_npy_header(*bytes_, path)) {
    if (header_.is_fortran && header_.columns > 1 && bytes_->is_compressed())
      refuse_file(path, "a compressed array in Fortran order cannot be read row by row",
                  "Uncompress it with gunzip, or save numpy.ascontiguousarray(x).");
    cell_of_ = columns.cells_of(path, read_npy_header(path));
    cells_.assign(columns.names().size(), std::numeric_limits<double>::quiet_NaN());
    const std::size_t row = static_cast<std::size_t>(header_.columns) * header_.bytes;
    chunk_rows_ = std::clamp<std::uint64_t>(kChunkBytes / row, 1, header_.rows);
  }

  bool next() override {
    if (at_ == header_.rows) return false;
    if (at_ >= chunk_first_ + in_chunk_ || at_ < chunk_first_) fill();
    const auto columns = static_cast<std::size_t>(header_.columns);
    const double* row = values_.data() + static_cast<std::size_t>(at_ - chunk_first_) * columns;
    ++at_;
    for (std::size_t field = 0; field < columns; ++field) {
      const std::size_t cell = cell_of_[field];
      if (cell == kSkipped) continue;
      if (cell == kSequenceKey) {
        key_.assign(reinterpret_cast<const char*>(row + field), sizeof(double));
      } else if (rules_.is_number(cell) && rules_.takes(cell, row[field])) {
        cells_[cell] = row[field];
      } else {
        cells_[cell] = rules_.value(cell, row[field], where());
      }
    }
    return true;
  }

  Where where() const override { return {&path_, at_, true}; }
  Place place() const override { return {at_ - 1, at_}; }
  void go(Place place) override { at_ = place.offset; }
  std::uint64_t file_size() const override { return header_.rows; }

 private:
  void fill() {
    chunk_first_ = at_;
    in_chunk_ = std::min(chunk_rows_, header_.rows - at_);
    const auto rows = static_cast<std::size_t>(in_chunk_);
    const auto columns = static_cast<std::size_t>(header_.columns);
    values_.resize(rows * columns);
    if (!header_.is_fortran || columns == 1) {
      read_numbers(at_ * columns, rows * columns);
      to_doubles(header_.type, raw_.data(), rows * columns, values_.data());
      return;
    }
    column_.resize(rows);
    for (std::size_t column = 0; column < columns; ++column) {
      read_numbers(column * header_.rows + at_, rows);
      to_doubles(header_.type, raw_.data(), rows, column_.data());
      for (std::size_t row = 0; row < rows; ++row) values_[row * columns + column] = column_[row];
    }
  }

  void read_numbers(std::uint64_t first, std::size_t count) {
    raw_.resize(count * header_.bytes);
    bytes_->seek(header_.offset + first * header_.bytes);
    if (bytes_->read(raw_.data(), raw_.size()) != raw_.size())
      refuse_file(path_,
                  fmt::format("the file is cut off: there are fewer than {} by {} numbers", header_.rows,
                              header_.columns),
                  "Copy it again.");
  }

  std::filesystem::path path_;
  Cells& rules_;
  std::unique_ptr<Bytes> bytes_;
  NpyHeader header_;
  std::vector<std::size_t> cell_of_;
  std::uint64_t at_ = 0;  // the next row
  std::uint64_t chunk_rows_ = 1;
  std::uint64_t chunk_first_ = 0;
  std::uint64_t in_chunk_ = 0;
  std::vector<char> raw_;
  std::vector<double> values_;
  std::vector<double> column_;
};

}  // namespace

std::vector<std::string> read_npy_header(const std::filesystem::path& path) {
  const NpyHeader header = read_npy_header(*open_bytes(path), path);
  if (header.rows == 0 || header.columns == 0)
    refuse_file(path, fmt::format("the array is empty ({} by {})", header.rows, header.columns),
                "Save a matrix with a row for each unit.");
  std::vector<std::string> names;
  for (std::uint64_t i = 1; i <= header.columns; ++i) names.push_back(fmt::format("c{}", i));
  return names;
}

std::unique_ptr<Rows> open_npy_rows(const std::filesystem::path& path, const Columns& columns, Cells& cells) {
  return std::make_unique<NpyRows>(path, columns, cells);
}

}  // namespace kullback::data
