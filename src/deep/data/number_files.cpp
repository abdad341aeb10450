#include "deep/data/number_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "data/source.hpp"
#include "deep/data/idx.hpp"
#include "deep/data/npy.hpp"

namespace kullback::deep {

namespace {

std::string npy_bytes(const torch::Tensor& numbers) {
  const std::string shape = fmt::format("({}, {})", numbers.size(0), numbers.size(1));
  std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  constexpr std::size_t kBefore = 10;  // magic, version, length of the header
  head.append(63 - (kBefore + head.size()) % 64, ' ');
  head += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(head.size() & 0xFF);
  bytes += static_cast<char>(head.size() >> 8);
  bytes += head;
  bytes.append(reinterpret_cast<const char*>(numbers.data_ptr<double>()),
               static_cast<std::size_t>(numbers.numel()) * sizeof(double));
  return bytes;
}

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_text(const std::vector<std::string>& names, const torch::Tensor& numbers) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ",") + csv_name(names[i]);
  text += '\n';
  CsvNumbers writer(text);
  const auto* number = numbers.data_ptr<double>();
  for (std::int64_t row = 0; row < numbers.size(0); ++row)
    for (std::int64_t column = 1; column <= numbers.size(1); ++column)
      writer.write(*number++, column == numbers.size(1) ? '\n' : ',');
  writer.flush();
  return text;
}

// The numbers of a line, separated by commas, semicolons or blanks; false where there is anything else.
bool plain_numbers(std::string_view line, std::vector<double>& into) {
  constexpr std::string_view kBetween = " \t,;\r";
  for (std::size_t begin = line.find_first_not_of(kBetween); begin < line.size();
       begin = line.find_first_not_of(kBetween, begin)) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    double value = 0;
    const auto [stop, status] = std::from_chars(line.data() + begin, line.data() + end, value);
    if (status != std::errc() || stop != line.data() + end) return false;
    into.push_back(value);
    begin = end;
  }
  return true;
}

// Undefined where the first line has more than numbers.
torch::Tensor plain_matrix(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  std::vector<double> numbers;
  std::int64_t rows = 0, columns = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size()), before = numbers.size();
    const bool is_plain = plain_numbers(std::string_view(text).substr(begin, end - begin), numbers);
    if (!is_plain && rows == 0) return {};
    const auto count = static_cast<std::int64_t>(numbers.size() - before);
    begin = end + 1;
    if (is_plain && count == 0) continue;  // an empty line
    if (rows++ == 0) columns = count;
    if (!is_plain || count != columns)
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: line {} is not {} numbers, as the first is.", file.string(), rows, columns),
          "Give a line with as many numbers for each row.");
  }
  if (rows == 0) throw Error(ErrorKind::bad_input, fmt::format("{}: the file is empty.", file.string()));
  return torch::tensor(numbers, torch::kFloat64).view({rows, columns});
}

torch::Tensor named_matrix(const std::filesystem::path& file) {
  data::SourceRequest request;
  request.paths = {file};
  request.takes_missing = true;
  const auto source = data::open_source(request);
  const data::Batch& batch = *source->in_memory();
  torch::Tensor numbers = torch::empty(
      {static_cast<std::int64_t>(batch.units), static_cast<std::int64_t>(batch.columns)}, torch::kFloat64);
  std::copy(batch.values.begin(), batch.values.end(), numbers.data_ptr<double>());
  return numbers;
}

}  // namespace

torch::Tensor read_numbers(const std::filesystem::path& file) {
  if (is_npy(file)) return read_npy(file).to(torch::kFloat64);
  if (is_idx(file)) {
    const IdxArray array = read_idx(file);
    torch::Tensor levels = torch::empty(array.shape, torch::kUInt8);
    std::memcpy(levels.data_ptr<std::uint8_t>(), array.bytes.data(), array.bytes.size());
    return levels.to(torch::kFloat64);
  }
  const torch::Tensor plain = plain_matrix(file);
  return plain.defined() ? plain : named_matrix(file);
}

void write_matrix(const std::filesystem::path& file, const std::vector<std::string>& names,
                  const torch::Tensor& numbers) {
  const torch::Tensor here =
      numbers.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat64)).contiguous();
  if (file.extension() == ".npy") return replace_file(file, npy_bytes(here));
  if (file.extension() == ".csv") return replace_file(file, csv_text(names, here));
  throw Error(ErrorKind::usage, fmt::format("{}: numbers are written as .csv or .npy.", file.string()),
              "Give --out a name that ends so.");
}

void write_categories(const std::filesystem::path& file, const std::vector<std::string>& names,
                      const std::vector<std::vector<std::string>>& levels, const torch::Tensor& values) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ",") + csv_name(names[i]);
  text += '\n';
  const torch::Tensor here = values.to(torch::kCPU, torch::kInt64).contiguous();
  const auto* value = here.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < here.size(0); ++row)
    for (std::size_t i = 0; i < levels.size(); ++i)
      text += csv_name(levels[i][static_cast<std::size_t>(*value++)]) + (i + 1 == levels.size() ? '\n' : ',');
  replace_file(file, text);
}

}  // namespace kullback::deep
