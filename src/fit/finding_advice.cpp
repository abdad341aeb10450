#include "fit/finding_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fit/fit.hpp"
#include "fit/request_options.hpp"
#include "infer/mcmc/options.hpp"

namespace kullback::fit {

namespace {

bool names(const std::vector<std::string>& options, std::string_view name) {
  return std::find(options.begin(), options.end(), name) != options.end();
}

// "`--method nuts`", with the acceptance that the ladder has raised.
std::string method_words(const run::RunRecord& record, const infer::Method& method,
                         const std::vector<std::string>& named) {
  std::string words = "--method " + record.method;
  const infer::Options used = options_of(record);
  const OptionRecord& raised = infer::option::kTargetAccept;
  if (reads(method, raised.name) && !used.is_default(raised) && !names(named, raised.name))
    words += fmt::format(" {} {}", flag_of(raised.name), used.text_of(raised));
  return "`" + words + "`";
}

// Options of the command that a named method refuses.
std::string without(const run::RunRecord& record, const infer::Method& method) {
  std::string flags;
  if (record.options.contains("budget")) flags = flag_of("budget");
  if (record.options.flag("wasserstein", false) && !method.has_log_q)
    flags += (flags.empty() ? "" : " and ") + flag_of("wasserstein");
  return flags.empty() ? "" : fmt::format(" and leave {} out", flags);
}

}  // namespace

posterior::FindingOptions finding_options(const run::RunRecord& record) {
  posterior::FindingOptions options;
  const infer::Options asked = options_of(record);
  options.max_depth = asked[infer::option::kMaxDepth];
  options.target_accept = asked[infer::option::kTargetAccept];
  options.warmup = asked[infer::option::kWarmup];
  options.thin = asked[infer::option::kThin];
  options.is_markov = is_markov(record);
  if (const infer::Method* method = infer::find_method(record.method))
    options.method_options = method->options;
  return options;
}

std::vector<std::string> options_in(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    std::string name;
    for (std::size_t i = at + 2; i < text.size(); ++i) {
      const char c = text[i];
      if (c != '-' && std::isalnum(static_cast<unsigned char>(c)) == 0) break;
      name += c == '-' ? '_' : c;
    }
    if (!name.empty()) found.push_back(name);
  }
  return found;
}

void name_method(const run::RunRecord& record, Findings& findings) {
  const infer::Method* method = infer::find_method(record.method);
  if (record.rungs.empty() || method == nullptr) return;
  for (Finding& finding : findings) {
    const std::vector<std::string> named = options_in(finding.advice);
    const bool is_of_method = std::any_of(named.begin(), named.end(),
                                          [&](const std::string& option) { return reads(*method, option); });
    if (!is_of_method || names(named, "method")) continue;
    finding.advice += fmt::format(" Add {}{}: the default method chooses these options itself.",
                                  method_words(record, *method, named), without(record, *method));
  }
}

}  // namespace kullback::fit
