#include "model/streamed_rows.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "base/error.hpp"
#include "model/check_data.hpp"
#include "model/temporary_file.hpp"

namespace kullback::model {

namespace {

[[noreturn]] void cannot_read(const std::string& path, int error_number) {
  std::error_code ignored;
  throw Error(ErrorKind::missing_file,
              fmt::format("{}: cannot be read: {}.", path, std::strerror(error_number)),
              fmt::format("--stream names it; where a path is relative, it begins in {}.",
                          std::filesystem::current_path(ignored).string()));
}

enum class Format : unsigned char { f64, f32, i64, i32, i16, u8 };

struct FormatInfo {
  std::string_view ending;
  Format format;
  std::size_t bytes;
};

constexpr FormatInfo kFormats[] = {{".f64", Format::f64, 8}, {".f32", Format::f32, 4},
                                   {".i64", Format::i64, 8}, {".i32", Format::i32, 4},
                                   {".i16", Format::i16, 2}, {".u8", Format::u8, 1}};

const FormatInfo* format_of(const std::string& path) {
  for (const FormatInfo& info : kFormats) {
    if (path.ends_with(info.ending)) return &info;
  }
  return nullptr;
}

template <class T>
double number_at(const char* bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double number_in(Format format, const char* bytes, std::size_t i) {
  switch (format) {
    case Format::f64: return number_at<double>(bytes, i);
    case Format::f32: return number_at<float>(bytes, i);
    case Format::i64: return number_at<std::int64_t>(bytes, i);
    case Format::i32: return number_at<std::int32_t>(bytes, i);
    case Format::i16: return number_at<std::int16_t>(bytes, i);
    case Format::u8: break;
  }
  return number_at<std::uint8_t>(bytes, i);
}

// A file of numbers, row after row.
class NumberFile final {
 public:
  NumberFile(const std::string& path, FormatInfo format, std::size_t width, std::size_t rows)
      : path_(path), format_(format), width_(width), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_.get() < 0) cannot_read(path, errno);
    const std::uintmax_t found = std::filesystem::file_size(path);
    const std::uintmax_t wanted = static_cast<std::uintmax_t>(rows) * width * format.bytes;
    if (found != wanted) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: has {} bytes; {} rows of {} number{} of {} bytes are {}.", path, found,
                              rows, width, width == 1 ? "" : "s", format.bytes, wanted),
                  "Numbers stand row after row; the ending of the name says of what kind they are.");
    }
  }
  NumberFile(FileDescriptor fd, std::size_t width)  // of our own making
      : format_(kFormats[0]), width_(width), fd_(std::move(fd)) {}

  // Columns [first_column, first_column + columns) of these rows.
  void read(std::size_t first, std::size_t count, std::size_t first_column, std::size_t columns,
            std::vector<double>& into) const {
    std::vector<char> bytes(count * width_ * format_.bytes);
    read_at(fd_.get(), bytes.data(), bytes.size(), first * width_ * format_.bytes, path_);
    into.clear();
    into.reserve(count * columns);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t column = 0; column < columns; ++column)
        into.push_back(number_in(format_.format, bytes.data(), row * width_ + first_column + column));
    }
  }

 private:
  std::string path_;
  FormatInfo format_;
  std::size_t width_;
  FileDescriptor fd_;
};

// ---- CSV ----

struct CsvFile {
  std::shared_ptr<NumberFile> numbers;
  std::vector<std::string> names;
  std::size_t rows = 0;
};

std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> parts(1);
  for (const char c : line) {
    if (c == ',')
      parts.emplace_back();
    else if (c != '"' && c != '\r' && c != ' ')
      parts.back() += c;
  }
  return parts;
}

// Once through the text, into a temporary file of numbers that can be read from anywhere.
CsvFile read_csv(const std::string& path) {
  std::ifstream in(path);
  if (!in) cannot_read(path, errno);
  CsvFile csv;
  std::string line;
  std::getline(in, line);
  csv.names = split_line(line);
  FileDescriptor fd = make_temporary_file();
  std::vector<double> block;
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> parts = split_line(line);
    const auto bad = [&](const std::string& what) {
      throw Error(ErrorKind::bad_input, fmt::format("{}:{}: {}.", path, number, what),
                  "Each line has as many numbers as the first has names.");
    };
    if (parts.size() != csv.names.size())
      bad(fmt::format("found {} values, but the first line has {} names", parts.size(), csv.names.size()));
    for (const std::string& part : parts) {
      double value = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
      if (error != std::errc() || end != part.data() + part.size())
        bad(fmt::format("'{}' is no number", part));
      block.push_back(value);
    }
    ++csv.rows;
    if (block.size() < (1U << 16)) continue;
    write_all(fd.get(), block);
    block.clear();
  }
  write_all(fd.get(), block);
  csv.numbers = std::make_shared<NumberFile>(std::move(fd), csv.names.size());
  return csv;
}

// ---- the data of a program ----

struct Column {
  std::string name;
  bool is_int = false;
  std::vector<std::size_t> dims;  // the first is the number of rows
  std::shared_ptr<NumberFile> file;
  std::size_t first_column = 0;
  std::size_t width = 1;
};

class StreamedRows final : public RowSource {
 public:
  StreamedRows(Data data, std::string row_size, std::size_t count, std::vector<Column> columns)
      : data_(std::move(data)), row_size_(std::move(row_size)), count_(count), columns_(std::move(columns)) {}

  std::size_t count() const override { return count_; }

  Data rows(std::size_t first, std::size_t count) override {
    Data result = data_;
    result.find(row_size_)->numbers = {static_cast<double>(count)};
    for (const Column& column : columns_) {
      DataValue value;
      value.dims = column.dims;
      value.dims.front() = count;
      column.file->read(first, count, column.first_column, column.width, value.numbers);
      value.kind = column.is_int ? DataKind::int_ : DataKind::real;
      const auto broken = std::find_if(value.numbers.begin(), value.numbers.end(),
                                       [](double x) { return x != std::trunc(x); });
      if (column.is_int && broken != value.numbers.end()) {
        value.kind = DataKind::real;
        value.first_real = static_cast<std::size_t>(broken - value.numbers.begin());
        value.first_real_text = fmt::format("{}", *broken);
      }
      result.add(column.name, std::move(value));
    }
    return result;
  }

 private:
  Data data_;
  std::string row_size_;
  std::size_t count_;
  std::vector<Column> columns_;
};

std::vector<std::size_t> sizes_of(const lang::Variable& variable, const lang::Program& program,
                                  const Data& data) {
  BoundData known;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& other = *stmt->as<lang::Declare>()->variable;
    if (const DataValue* value = data.find(other.name)) known.set(other, *value);
  }
  std::vector<std::size_t> dims;
  const auto add = [&](const lang::Expr* size) {
    dims.push_back(static_cast<std::size_t>(evaluate_simple(*size, known).numbers.front()));
  };
  for (const lang::Expr* size : variable.declared->array_sizes) add(size);
  for (const lang::Expr* size : variable.declared->sizes) add(size);
  return dims;
}

Column column_of(const lang::Variable& variable, std::vector<std::size_t> dims, std::size_t rows) {
  Column column{std::string(variable.name), variable.type->is_int(), std::move(dims), nullptr, 0, 1};
  if (column.dims.empty() || column.dims.front() != rows)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("--stream: '{}' has no row for each of the {} rows.", column.name, rows),
        "Data whose first size is that of --minibatch can be streamed; others belong in the data file.");
  for (std::size_t k = 1; k < column.dims.size(); ++k) column.width *= column.dims[k];
  return column;
}

// The first column of the variable; throws where its columns are not there one after another.
std::size_t find_in(const CsvFile& csv, const std::string& path, const Column& column) {
  const std::string first = column.dims.size() == 1 ? column.name : column.name + ".1";
  const auto at = std::find(csv.names.begin(), csv.names.end(), first);
  const auto have = static_cast<std::size_t>(csv.names.end() - at);
  bool is_there = at != csv.names.end() && have >= column.width;
  for (std::size_t k = 0; is_there && column.dims.size() == 2 && k < column.width; ++k)
    is_there = *(at + static_cast<long>(k)) == fmt::format("{}.{}", column.name, k + 1);
  if (!is_there || column.dims.size() > 2)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has no columns {} to {}.{}.", path, first, column.name, column.width),
                "The first line names a column for each number of a row, one variable after another.");
  return static_cast<std::size_t>(at - csv.names.begin());
}

}  // namespace

StreamedFile streamed_file(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos && text.ends_with(".csv")) return {{}, text};
  if (at != std::string::npos && at > 0 && format_of(text) != nullptr)
    return {text.substr(0, at), text.substr(at + 1)};
  throw Error(ErrorKind::usage,
              fmt::format("--stream: found '{}', but NAME=FILE or FILE.csv is needed.", text),
              "FILE ends in .f64, .f32, .i64, .i32, .i16 or .u8, the kind of its numbers.");
}

std::unique_ptr<RowSource> open_streamed_rows(const lang::Program& program, Data data,
                                              const std::string& row_size,
                                              const std::vector<std::string>& files) {
  const DataValue* size = data.find(row_size);
  if (size == nullptr || !size->dims.empty() || size->numbers.size() != 1 || !(size->numbers.front() >= 1))
    throw Error(ErrorKind::bad_input,
                fmt::format("--stream: the data file does not say what '{}' is.", row_size),
                fmt::format("It has all data that are not streamed, {} among them.", row_size));
  const auto rows = static_cast<std::size_t>(size->numbers.front());
  std::map<std::string, std::string> named;
  std::map<std::string, CsvFile> tables;
  for (const std::string& text : files) {
    const StreamedFile file = streamed_file(text);
    if (!file.name.empty()) {
      named[file.name] = file.path;
      continue;
    }
    const CsvFile& csv = tables[file.path] = read_csv(file.path);
    if (csv.rows != rows)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: has {} rows, but {} is {}.", file.path, csv.rows, row_size, rows));
  }
  std::vector<Column> columns;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::data)) {
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    const std::string name(variable.name);
    if (data.find(name) != nullptr) {
      named.erase(name);
      continue;
    }
    const auto own = named.find(name);
    if (own == named.end() && tables.empty()) continue;  // missing, as check_data will say
    Column column = column_of(variable, sizes_of(variable, program, data), rows);
    if (own != named.end()) {
      column.file = std::make_shared<NumberFile>(own->second, *format_of(own->second), column.width, rows);
      named.erase(own);
    } else {
      column.first_column = find_in(tables.begin()->second, tables.begin()->first, column);
      column.file = tables.begin()->second.numbers;
    }
    columns.push_back(std::move(column));
  }
  if (!named.empty())
    throw Error(ErrorKind::bad_input,
                fmt::format("--stream: '{}' is in the data file too, or the program has no such data.",
                            named.begin()->first),
                "Name data of the program that the data file does not have.");
  return std::make_unique<StreamedRows>(std::move(data), row_size, rows, std::move(columns));
}

}  // namespace kullback::model
