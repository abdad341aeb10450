#include "posterior/run_record.hpp"

#include <ctime>

namespace kullback::posterior {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

const std::string* find_fact(const RunRecord& record, std::string_view name) {
  for (const auto& [known, value] : record.facts) {
    if (known == name) return &value;
  }
  return nullptr;
}

std::string content_hash(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash /= 16) digits[i] = "0123456789abcdef"[hash % 16];
  return digits;
}

}  // namespace kullback::posterior
