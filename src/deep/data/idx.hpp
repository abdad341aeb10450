// IDX files, as of MNIST: two zero bytes, a type, a number of dimensions, their lengths (big-endian, 4 bytes
// each), the numbers. Gzipped too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace kullback::deep {

struct IdxArray {
  std::vector<std::int64_t> shape = {};
  std::vector<std::uint8_t> bytes = {};
};

// By the first bytes. False also where the file cannot be read.
bool is_idx(const std::filesystem::path& path);
// Of unsigned bytes. Throws Error bad_input that says what is wrong: another type, lengths that do not fit
// the size of the file.
IdxArray read_idx(const std::filesystem::path& path);

}  // namespace kullback::deep
