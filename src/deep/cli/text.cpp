#include "deep/cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "run/text.hpp"

namespace kullback::deep::cli {

namespace {

constexpr std::size_t kWidth = 100;

}  // namespace

std::string pairs_text(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::size_t width = 0;
  for (const auto& [name, value] : pairs) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : pairs)
    run::append_wrapped(text, "  " + name + std::string(width - name.size() + 2, ' '), value, kWidth);
  return text;
}

std::string record_text(const run::RunRecord& record, const std::string& folder) {
  std::string text = fmt::format("{} {}: {} parameters, seed {}, {:.2f} s{}\n", run::name_of(record.kind),
                                 record.method, record.parameters, record.seed, record.seconds,
                                 record.status == "complete" ? "" : ", " + record.status);
  text += pairs_text(record.facts);
  if (!record.findings.empty()) {
    text += "\n" + run::findings_text(record.findings, kWidth);
  } else if (record.status == "complete") {
    text += "\nNo problems found.\n";
  }
  if (record.status == "interrupted" || record.status == "running")
    text += "The same command with --resume goes on.\n";
  return text + fmt::format("Results: {}\n", folder);
}

}  // namespace kullback::deep::cli
