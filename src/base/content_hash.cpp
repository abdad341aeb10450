#include "base/content_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/file.hpp"

namespace kullback {

namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5;

static_assert(std::endian::native == std::endian::little);

template <class Word>
std::uint64_t word_at(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t mixed_in(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t merged(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ mixed_in(0, lane)) * kPrime1 + kPrime4;
}

std::uint64_t with_tail(std::uint64_t hash, const char* at, std::size_t size) {
  for (; size >= 8; at += 8, size -= 8)
    hash = std::rotl(hash ^ mixed_in(0, word_at<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (size >= 4) {
    hash = std::rotl(hash ^ word_at<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
    size -= 4;
  }
  for (; size > 0; ++at, --size) hash = std::rotl(hash ^ word_at<std::uint8_t>(at) * kPrime5, 11) * kPrime1;
  return hash;
}

std::uint64_t avalanched(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace

void ContentHash::add_stripe(const char* stripe) {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i] = mixed_in(lanes_[i], word_at<std::uint64_t>(stripe + 8 * i));
}

void ContentHash::add(std::string_view bytes) {
  const std::size_t held = size_ % kStripe;
  size_ += bytes.size();
  if (held > 0) {
    const std::size_t count = std::min(kStripe - held, bytes.size());
    std::copy_n(bytes.data(), count, waiting_.data() + held);
    bytes.remove_prefix(count);
    if (held + count < kStripe) return;
    add_stripe(waiting_.data());
  }
  for (; bytes.size() >= kStripe; bytes.remove_prefix(kStripe)) add_stripe(bytes.data());
  std::copy_n(bytes.data(), bytes.size(), waiting_.data());
}

std::uint64_t ContentHash::value() const {
  std::uint64_t hash = kPrime5;
  if (size_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = merged(hash, lane);
  }
  return avalanched(with_tail(hash + size_, waiting_.data(), size_ % kStripe));
}

std::string ContentHash::text() const {
  std::uint64_t hash = value();
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash /= 16) digits[i] = "0123456789abcdef"[hash % 16];
  return digits;
}

std::string content_hash(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.text();
}

FileContent content_of_file(const std::filesystem::path& path) {
  ContentHash hash;
  FileContent content;
  read_pieces(path, [&](std::string_view piece) {
    hash.add(piece);
    content.bytes += piece.size();
  });
  content.hash = hash.text();
  return content;
}

}  // namespace kullback
