#include "run/json_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"

namespace kullback::run {

std::string json_number(double number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return fmt::format("{}", number);
}

std::string json_findings(const Findings& findings) {
  if (findings.empty()) return "[]";
  std::string text = "[\n";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    text +=
        fmt::format("    {{\"code\": {}, \"message\": {}, \"evidence\": {}, \"advice\": {}}}{}\n",
                    json_string(finding.code), json_string(finding.message), json_string(finding.evidence),
                    json_string(finding.advice), i + 1 == findings.size() ? "" : ",");
  }
  return text + "  ]";
}

}  // namespace kullback::run
