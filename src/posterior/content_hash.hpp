// The hash of content_hash(), of a text that comes in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kullback::posterior {

class ContentHash final {
 public:
  void add(std::string_view piece) {
    for (const char c : piece) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 0x100000001b3;
    }
  }
  std::string text() const {
    std::string digits(16, '0');
    std::uint64_t rest = hash_;
    for (std::size_t i = 16; i-- > 0; rest /= 16) digits[i] = "0123456789abcdef"[rest % 16];
    return digits;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace kullback::posterior
