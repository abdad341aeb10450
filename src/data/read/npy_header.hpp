// The head of a NumPy file (.npy, versions 1 to 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "data/read/bytes.hpp"

namespace kullback::data {

enum class NpyType : unsigned char { f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1 };

struct NpyHeader {
  NpyType type = NpyType::f8;
  std::size_t bytes = 8;  // of a number
  bool is_fortran = false;
  std::uint64_t rows = 0;
  std::uint64_t columns = 1;              // numbers of a row
  std::vector<std::uint64_t> shape = {};  // rows and the lengths of one, whose product `columns` is
  std::uint64_t offset = 0;               // of the first number
};

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Reads on behind the header. Throws Error where the file is none, or has what we do not read. Arrays of
// images have more dimensions than tables.
NpyHeader read_npy_header(Bytes& bytes, const std::filesystem::path& path, std::size_t most_dimensions = 2);

// `count` numbers of that type as doubles.
void to_doubles(NpyType type, const char* from, std::size_t count, double* into);

}  // namespace kullback::data
