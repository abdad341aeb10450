#include "base/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace kullback {

namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

// The number after `key` in a file of words; with an empty key the first word.
std::optional<std::size_t> number_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    if (!key.empty() && word != key) continue;
    if (!key.empty() && !(file >> word)) return {};
    if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos) return {};  // "max"
    return std::stoull(word);
  }
  return {};
}

}  // namespace

std::size_t available_memory() {
  std::size_t bytes = kUnknown;
  if (const auto kilobytes = number_in("/proc/meminfo", "MemAvailable:")) bytes = *kilobytes * 1024;
  const auto limit = number_in("/sys/fs/cgroup/memory.max", "");
  const auto used = number_in("/sys/fs/cgroup/memory.current", "");
  if (limit && used) bytes = std::min(bytes, *limit > *used ? *limit - *used : 0);
  return bytes;
}

std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} ", bytes) + kUnits[unit];
}

}  // namespace kullback
