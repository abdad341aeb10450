#include "deep/data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/read/npy_header.hpp"

namespace kullback::deep {

namespace {

constexpr std::size_t kMostDimensions = 4;
constexpr std::size_t kPiece = std::size_t{1} << 20;  // numbers

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", path.string(), what), std::move(hint));
}

}  // namespace

bool is_npy(const std::filesystem::path& path) {
  try {
    return data::first_bytes(path, data::kNpyMagic.size()) == data::kNpyMagic;
  } catch (const Error&) {
    return false;
  }
}

std::int64_t npy_dimensions(const std::filesystem::path& path) {
  const auto bytes = data::open_bytes(path);
  return static_cast<std::int64_t>(data::read_npy_header(*bytes, path, kMostDimensions).shape.size());
}

torch::Tensor read_npy(const std::filesystem::path& path) {
  const auto bytes = data::open_bytes(path);
  const data::NpyHeader header = data::read_npy_header(*bytes, path, kMostDimensions);
  if (header.is_fortran && header.shape.size() > 1)
    refuse(path, "the array is in Fortran order", "Save numpy.ascontiguousarray(x).");
  if (header.rows == 0 || header.columns == 0)
    refuse(path, "the array holds nothing: one of its lengths is 0", "Give an array with numbers.");
  const bool are_bytes = header.type == data::NpyType::u1;
  std::vector<char> raw;
  std::vector<double> numbers;
  std::vector<std::uint8_t> levels;
  std::uint64_t left = header.rows * header.columns;
  while (left > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece));
    raw.resize(count * header.bytes);
    if (bytes->read(raw.data(), raw.size()) != raw.size())
      refuse(path, "the file is cut off: numbers are missing at its end", "Copy it again.");
    if (are_bytes) {
      levels.insert(levels.end(), raw.begin(), raw.end());
    } else {
      numbers.resize(numbers.size() + count);
      data::to_doubles(header.type, raw.data(), count, numbers.data() + numbers.size() - count);
    }
    left -= count;
  }
  const std::vector<std::int64_t> shape(header.shape.begin(), header.shape.end());
  if (are_bytes) return torch::from_blob(levels.data(), shape, torch::kUInt8).clone();
  return torch::from_blob(numbers.data(), shape, torch::kFloat64).clone();
}

}  // namespace kullback::deep
