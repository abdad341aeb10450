// One block of fixed Huffman codes. A repetition is looked for where the next three bytes were last seen, at
// most 32 KiB ago, and taken as long as it goes. Pictures are mostly flat or filtered to be: that finds
// nearly all, and needs no library.
#include "deep/data/deflate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace kullback::deep {

namespace {

constexpr std::size_t kShortest = 3, kLongest = 258, kWindow = 32768;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Symbols of lengths (from 257) and of distances: the first of each, then extra bits.
constexpr std::array<std::uint16_t, 29> kLengths = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                    15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                    67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint16_t, 30> kDistances = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

int extra_bits_of_length(std::size_t symbol) {
  return symbol < 8 || symbol == 28 ? 0 : static_cast<int>(symbol) / 4 - 1;
}
int extra_bits_of_distance(std::size_t symbol) { return symbol < 4 ? 0 : static_cast<int>(symbol) / 2 - 1; }

// Numbers begin at the lowest bit of a byte, codes at their own highest bit.
class Bits final {
 public:
  void number(std::size_t value, int bits) {
    for (int i = 0; i < bits; ++i) put(value >> i & 1);
  }
  void code(std::size_t value, int bits) {
    for (int i = bits - 1; i >= 0; --i) put(value >> i & 1);
  }
  std::string finished() {
    if (count_ > 0) bytes_ += static_cast<char>(byte_);
    return std::move(bytes_);
  }

 private:
  void put(std::size_t bit) {
    byte_ |= static_cast<unsigned>(bit) << count_;
    if (++count_ < 8) return;
    bytes_ += static_cast<char>(byte_);
    byte_ = 0;
    count_ = 0;
  }

  std::string bytes_;
  unsigned byte_ = 0;
  int count_ = 0;
};

void put_symbol(Bits& bits, std::size_t symbol) {
  if (symbol < 144) return bits.code(0x30 + symbol, 8);
  if (symbol < 256) return bits.code(0x190 + symbol - 144, 9);
  if (symbol < 280) return bits.code(symbol - 256, 7);
  bits.code(0xC0 + symbol - 280, 8);
}

void put_repetition(Bits& bits, std::size_t length, std::size_t distance) {
  const auto symbol_of = [](const auto& firsts, std::size_t value) {
    return static_cast<std::size_t>(std::upper_bound(firsts.begin(), firsts.end(), value) - firsts.begin()) -
           1;
  };
  const std::size_t by_length = symbol_of(kLengths, length), by_distance = symbol_of(kDistances, distance);
  put_symbol(bits, 257 + by_length);
  bits.number(length - kLengths[by_length], extra_bits_of_length(by_length));
  bits.code(by_distance, 5);
  bits.number(distance - kDistances[by_distance], extra_bits_of_distance(by_distance));
}

std::size_t place_of_three(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i]));
  };
  return (byte(0) | byte(1) << 8 | byte(2) << 16) * 2654435761U >> 17;
}

std::string deflated(std::string_view bytes) {
  Bits bits;
  bits.number(1, 1);  // the last block
  bits.number(1, 2);  // of fixed codes
  std::vector<std::size_t> seen(1 << 15, kNone);
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t length = 0, from = kNone;
    if (at + kShortest <= bytes.size()) {
      std::size_t& last = seen[place_of_three(bytes, at)];
      from = last;
      last = at;
      if (from != kNone && at - from <= kWindow) {
        const std::size_t most = std::min(kLongest, bytes.size() - at);
        while (length < most && bytes[from + length] == bytes[at + length]) ++length;
      }
    }
    if (length >= kShortest)
      put_repetition(bits, length, at - from);
    else
      put_symbol(bits, static_cast<std::uint8_t>(bytes[at]));
    at += length >= kShortest ? length : 1;
  }
  put_symbol(bits, 256);  // the end
  return bits.finished();
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

}  // namespace

std::string zlib_bytes(std::string_view bytes) {
  std::string result = "\x78\x01" + deflated(bytes);
  const std::uint32_t check = adler32(bytes);
  for (int shift = 24; shift >= 0; shift -= 8) result += static_cast<char>(check >> shift & 0xFF);
  return result;
}

}  // namespace kullback::deep
