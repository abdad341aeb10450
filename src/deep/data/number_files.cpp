#include "deep/data/number_files.hpp"

#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"

namespace kullback::deep {

namespace {

std::string npy_bytes(const torch::Tensor& numbers) {
  const std::string shape = filled("({}, {})", numbers.size(0), numbers.size(1));
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

}  // namespace

void write_matrix(const std::filesystem::path& file, const std::vector<std::string>& names,
                  const torch::Tensor& numbers) {
  const torch::Tensor here =
      numbers.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat64)).contiguous();
  if (file.extension() == ".npy") return replace_file(file, npy_bytes(here));
  if (file.extension() == ".csv") return replace_file(file, csv_text(names, here));
  throw Error(ErrorKind::usage, filled("{}: numbers are written as .csv or .npy.", file.string()),
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
