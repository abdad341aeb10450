#include "data/read/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "data/read/fault.hpp"

namespace kullback::data {

namespace {

struct TypeName {
  std::string_view name;
  NpyType type;
  std::size_t bytes;
};

constexpr TypeName kTypes[] = {{"f4", NpyType::f4, 4}, {"f8", NpyType::f8, 8}, {"i1", NpyType::i1, 1},
                               {"i2", NpyType::i2, 2}, {"i4", NpyType::i4, 4}, {"i8", NpyType::i8, 8},
                               {"u1", NpyType::u1, 1}, {"u2", NpyType::u2, 2}, {"u4", NpyType::u4, 4},
                               {"u8", NpyType::u8, 8}, {"b1", NpyType::b1, 1}};

[[noreturn]] void refuse_damaged(const std::filesystem::path& path) {
  refuse_file(path, "the header of the NumPy file is damaged", "Write it again with numpy.save.");
}

// Of a Python dictionary as text: what follows 'name':.
std::string_view entry(std::string_view text, std::string_view name, const std::filesystem::path& path) {
  for (const char quote : {'\'', '"'}) {
    const std::string key = fmt::format("{}{}{}:", quote, name, quote);
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) continue;
    const std::size_t value = text.find_first_not_of(' ', at + key.size());
    if (value != std::string_view::npos) return text.substr(value);
  }
  refuse_damaged(path);
}

void read_type(std::string_view text, NpyHeader& header, const std::filesystem::path& path) {
  constexpr std::string_view kHint = "Save a plain array of numbers: numpy.save(name, x.astype('float64')).";
  const std::string_view given = entry(text, "descr", path);
  const char quote = given.front();
  const std::size_t end = given.find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
    refuse_file(path, "the array has named fields, but plain numbers are needed", std::string(kHint));
  const std::string_view name = given.substr(1, end - 1);
  if (name.starts_with('>'))
    refuse_file(path, fmt::format("numbers are of type {}, big-endian", shown(name)), std::string(kHint));
  for (const TypeName& known : kTypes) {
    if (name.size() != 3 || name.substr(1) != known.name) continue;
    header.type = known.type;
    header.bytes = known.bytes;
    return;
  }
  refuse_file(path,
              fmt::format("the array is of type {}; f4, f8, i1 to i8, u1 to u8 and b1 are read", shown(name)),
              std::string(kHint));
}

void read_shape(std::string_view text, NpyHeader& header, std::size_t most_dimensions,
                const std::filesystem::path& path) {
  std::string_view given = entry(text, "shape", path);
  const std::size_t end = given.find(')');
  if (given.front() != '(' || end == std::string_view::npos) refuse_damaged(path);
  given = given.substr(1, end - 1);
  while (given.find_first_not_of(" ,") != std::string_view::npos) {
    given.remove_prefix(given.find_first_not_of(" ,"));
    std::uint64_t size = 0;
    const auto [stop, status] = std::from_chars(given.data(), given.data() + given.size(), size);
    if (status != std::errc{}) refuse_damaged(path);
    header.shape.push_back(size);
    given.remove_prefix(static_cast<std::size_t>(stop - given.data()));
  }
  if (header.shape.empty() || header.shape.size() > most_dimensions)
    refuse_file(path,
                fmt::format("the array has {} dimensions, but 1 {} {} are needed", header.shape.size(),
                            most_dimensions == 2 ? "or" : "to", most_dimensions),
                "Save a matrix with a row for each unit.");
  header.rows = header.shape.front();
  for (std::size_t i = 1; i < header.shape.size(); ++i)
    if (__builtin_mul_overflow(header.columns, header.shape[i], &header.columns)) refuse_damaged(path);
}

void check_size(const NpyHeader& header, const Bytes& bytes, const std::filesystem::path& path) {
  constexpr std::uint64_t kMostColumns = 10'000'000;
  if (header.columns > kMostColumns)
    refuse_file(path, fmt::format("the array has {} columns; 10 million are read at most", header.columns));
  std::uint64_t needed = 0;
  const bool is_too_large = __builtin_mul_overflow(header.rows, header.columns * header.bytes, &needed) ||
                            __builtin_add_overflow(needed, header.offset, &needed);
  if (is_too_large || (!bytes.is_compressed() && bytes.size() < needed))
    refuse_file(path,
                fmt::format("the file is cut off: {} by {} numbers of {} bytes are more than its {} bytes",
                            header.rows, header.columns, header.bytes, bytes.size()),
                "Copy it again.");
}

template <class T>
void convert(const char* from, std::size_t count, double* into) {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    into[i] = static_cast<double>(value);
  }
}

}  // namespace

NpyHeader read_npy_header(Bytes& bytes, const std::filesystem::path& path, std::size_t most_dimensions) {
  unsigned char head[12] = {};
  const std::size_t got = bytes.read(reinterpret_cast<char*>(head), 10);
  if (got < 10 || std::memcmp(head, kNpyMagic.data(), kNpyMagic.size()) != 0) refuse_damaged(path);
  const unsigned version = head[6];
  if (version < 1 || version > 3)
    refuse_file(path, fmt::format("the NumPy file is of version {}; 1 to 3 are read", version));
  std::size_t length = head[8] + 256U * head[9];
  NpyHeader header;
  header.offset = 10;
  if (version > 1) {
    if (bytes.read(reinterpret_cast<char*>(head) + 10, 2) != 2) refuse_damaged(path);
    length += 65536U * head[10] + (std::size_t{1} << 24U) * head[11];
    header.offset = 12;
  }
  if (length > (1U << 20U)) refuse_damaged(path);
  std::string text(length, '\0');
  if (bytes.read(text.data(), length) != length) refuse_damaged(path);
  header.offset += length;
  read_type(text, header, path);
  header.is_fortran = entry(text, "fortran_order", path).starts_with("True");
  read_shape(text, header, most_dimensions, path);
  check_size(header, bytes, path);
  return header;
}

void to_doubles(NpyType type, const char* from, std::size_t count, double* into) {
  switch (type) {
    case NpyType::f4: return convert<float>(from, count, into);
    case NpyType::f8: return convert<double>(from, count, into);
    case NpyType::i1: return convert<std::int8_t>(from, count, into);
    case NpyType::i2: return convert<std::int16_t>(from, count, into);
    case NpyType::i4: return convert<std::int32_t>(from, count, into);
    case NpyType::i8: return convert<std::int64_t>(from, count, into);
    case NpyType::u1:
    case NpyType::b1: return convert<std::uint8_t>(from, count, into);
    case NpyType::u2: return convert<std::uint16_t>(from, count, into);
    case NpyType::u4: return convert<std::uint32_t>(from, count, into);
    case NpyType::u8: return convert<std::uint64_t>(from, count, into);
  }
}

}  // namespace kullback::data
