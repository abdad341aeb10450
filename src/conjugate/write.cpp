#include "conjugate/write.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "data/read/fault.hpp"
#include "data/read/npy_header.hpp"

namespace kullback::conjugate {

using data::kNpyMagic;
using data::NpyHeader;

namespace {

void append_name(std::string& out, const std::string& name) {
  const bool has_edge_blank = !name.empty() && (name.front() == ' ' || name.back() == ' ');
  if (name.find_first_of(",;\t\"\r\n") == std::string::npos && !has_edge_blank) {
    out += name;
    return;
  }
  out += '"';
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_head(std::string& out, const std::vector<std::string>& columns, const std::string& row_head) {
  bool is_first = row_head.empty();
  if (!is_first) append_name(out, row_head);
  for (const std::string& column : columns) {
    if (!is_first) out += ',';
    append_name(out, column);
    is_first = false;
  }
  out += '\n';
}

void append_lines(std::string& out, std::size_t columns, std::span<const double> cells,
                  std::span<const std::string> names) {
  CsvNumbers numbers(out, "");
  const std::size_t lines = columns == 0 ? names.size() : cells.size() / columns;
  for (std::size_t line = 0; line < lines; ++line) {
    if (!names.empty()) {
      numbers.flush();
      append_name(out, names[line]);
      out += columns == 0 ? '\n' : ',';
    }
    for (std::size_t column = 0; column < columns; ++column)
      numbers.write(cells[line * columns + column], column + 1 == columns ? '\n' : ',');
  }
  numbers.flush();
}

void check_sizes(std::size_t columns, std::size_t cells, bool has_names, std::size_t names) {
  const std::size_t lines = columns == 0 ? names : cells / columns;
  if (lines * columns == cells && names == (has_names ? lines : 0)) return;
  throw Error(
      ErrorKind::internal,
      fmt::format("{} cells and {} names are no lines of a table with {} columns.", cells, names, columns));
}

// A table with names of rows always has a head for them.
std::string head_of_rows(const ResultTable& table) {
  return table.row_names.empty() || !table.row_head.empty() ? table.row_head : "name";
}

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw Error(ErrorKind::cannot_write,
              fmt::format("{}: cannot be written: {}.", path.string(), std::strerror(errno)));
}

}  // namespace

namespace {

// Puts a column of words behind the lines of `text`, its head first.
std::string with_notes(const std::string& text, const ResultTable& table) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t line = 0; line <= table.notes.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    result.append(text, at, end - at) += ',';
    append_name(result, line == 0 ? table.note_head : table.notes[line - 1]);
    result += '\n';
    at = end + 1;
  }
  return result;
}

}  // namespace

std::string csv_text(const ResultTable& table) {
  const bool has_names = !table.row_names.empty();
  check_sizes(table.columns.size(), table.cells.size(), has_names, table.row_names.size());
  std::string text;
  append_head(text, table.columns, has_names ? head_of_rows(table) : "");
  append_lines(text, table.columns.size(), table.cells, table.row_names);
  return table.notes.empty() ? text : with_notes(text, table);
}

void write_table(const std::filesystem::path& folder, const ResultTable& table) {
  replace_file(folder / (table.name + ".csv"), csv_text(table));
}

TableWriter::TableWriter(std::filesystem::path path, const std::vector<std::string>& columns,
                         std::string row_head)
    : path_(std::move(path)),
      beside_(path_.string() + ".new-" + std::to_string(::getpid())),
      file_(std::fopen(beside_.c_str(), "wb")),
      columns_(columns.size()),
      has_names_(!row_head.empty()) {
  if (file_ == nullptr) cannot_write(path_);
  std::string text;
  append_head(text, columns, row_head);
  write(text);
}

TableWriter::~TableWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
}

void TableWriter::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) cannot_write(path_);
}

void TableWriter::add(std::span<const double> cells, std::span<const std::string> row_names) {
  check_sizes(columns_, cells.size(), has_names_, row_names.size());
  std::string text;
  append_lines(text, columns_, cells, row_names);
  write(text);
}

void TableWriter::finish() {
  if (file_ == nullptr) throw Error(ErrorKind::internal, path_.string() + " is written already.");
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) cannot_write(path_);
  std::error_code problem;
  std::filesystem::rename(beside_, path_, problem);
  if (problem) {
    errno = problem.value();
    cannot_write(path_);
  }
  std::fclose(std::exchange(file_, nullptr));
}

void write_npy(const std::filesystem::path& path, std::span<const double> numbers) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t kAlignment = 64;  // of the first number
  constexpr std::size_t kBefore = 10;     // magic, version, length
  std::string head =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", numbers.size());
  head.append(kAlignment - (kBefore + head.size() + 1) % kAlignment, ' ');
  head += '\n';
  std::string bytes(kNpyMagic);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(head.size() % 256);
  bytes += static_cast<char>(head.size() / 256);
  bytes += head;
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  replace_file(path, bytes);
}

std::vector<double> read_npy(const std::filesystem::path& path) {
  const std::unique_ptr<data::Bytes> bytes = data::open_bytes(path);
  const NpyHeader header = read_npy_header(*bytes, path);
  std::vector<char> raw(static_cast<std::size_t>(header.rows * header.columns) * header.bytes);
  if (bytes->read(raw.data(), raw.size()) != raw.size())
    data::refuse_file(path, "the file is cut off", "Copy it again.");
  std::vector<double> numbers(static_cast<std::size_t>(header.rows * header.columns));
  to_doubles(header.type, raw.data(), numbers.size(), numbers.data());
  return numbers;
}

}  // namespace kullback::conjugate
