#include <fmt/format.h>

#include <cstdio>

#include "deep/bnn/posterior.hpp"
#include "deep/cli/verb.hpp"
#include "run/text.hpp"

namespace kullback::deep::cli {

namespace {

constexpr std::size_t kWidth = 100;

std::string record_text(const PosteriorRecord& record) {
  std::string text = fmt::format("{}: {}\n", record.name, record.summary);
  run::append_wrapped(text, "  ", record.use_when, kWidth);
  if (!record.citation.empty()) run::append_wrapped(text, "  ", record.citation, kWidth);
  for (const OptionRecord* option : record.options) {
    const std::string preset = default_text(*option);
    run::append_wrapped(text, "    ",
                        fmt::format("{}{}: {}", flag_of(option->name),
                                    preset.empty() ? "" : " [" + preset + "]", option->help),
                        kWidth);
  }
  return text;
}

}  // namespace

Run add_posteriors(const Command&, const std::vector<std::string>&) {
  return [] {
    for (const PosteriorRecord* record : posteriors())
      std::fputs((record_text(*record) + "\n").c_str(), stdout);
    return 0;
  };
}

}  // namespace kullback::deep::cli
