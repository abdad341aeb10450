// The bytes of a file in order; those of a .gz file uncompressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace kullback::data {

class Bytes {
 public:
  virtual ~Bytes() = default;
  // As many as there are, at most `count`; fewer only at the end. Throws Error bad_input.
  virtual std::size_t read(char* into, std::size_t count) = 0;
  virtual void seek(std::uint64_t offset) = 0;
  // Of the uncompressed content; 0 where it is not known.
  virtual std::uint64_t size() const = 0;
  virtual bool is_compressed() const = 0;
};

// Compression is recognised by content. Throws Error missing_file, or bad_input for what cannot be read.
std::unique_ptr<Bytes> open_bytes(const std::filesystem::path& path);

// The first bytes of the content.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

}  // namespace kullback::data
