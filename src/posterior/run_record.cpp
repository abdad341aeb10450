#include "posterior/run_record.hpp"

#include <fmt/format.h>

#include <ctime>

namespace kullback::posterior {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
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
  return fmt::format("{:016x}", hash);
}

}  // namespace kullback::posterior
