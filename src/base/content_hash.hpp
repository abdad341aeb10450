// XXH64 with seed 0 (Collet's specification; `xxh64sum FILE` prints the same): tells whether bytes have
// changed, at the speed at which they are read. It is no guard against those who want a collision.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kullback {

class ContentHash final {
 public:
  // Bytes may come in any number of pieces.
  void add(std::string_view bytes);
  std::uint64_t value() const;
  std::string text() const;  // 16 hexadecimal digits

 private:
  static constexpr std::size_t kStripe = 32;

  void add_stripe(const char* stripe);

  std::array<std::uint64_t, 4> lanes_{0x60EA27EEADC0B5D6, 0xC2B2AE3D27D4EB4F, 0, 0x61C8864E7A143579};
  std::array<char, kStripe> waiting_{};  // the first size_ % kStripe of them
  std::uint64_t size_ = 0;
};

// 16 hexadecimal digits.
std::string content_hash(std::string_view bytes);

struct FileContent {
  std::uint64_t bytes = 0;
  std::string hash;
};

// Throws Error missing_file or bad_input.
FileContent content_of_file(const std::filesystem::path& path);

}  // namespace kullback
