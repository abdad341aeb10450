#include "run/record.hpp"

#include <ctime>

namespace kullback::run {

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

}  // namespace kullback::run
