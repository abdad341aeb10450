#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "base/advice.hpp"
#include "cli/method_options.hpp"
#include "cli/verb.hpp"
#include "fit/ladder.hpp"
#include "infer/algorithm.hpp"
#include "infer/vi/parts.hpp"

namespace kullback::cli {

namespace {

std::string needs_text(const infer::MethodNeeds& needs) {
  std::string text = needs.gradient ? "gradients" : "";
  if (needs.rows) text += text.empty() ? "minibatches" : ", minibatches";
  if (needs.supports) text += text.empty() ? "supports" : ", supports";
  return text.empty() ? "log densities only" : text;
}

template <class Record>
std::string choices_text(const infer::Method& method, std::string_view option,
                         std::span<const Record* const> records) {
  if (find_option(method.options, option) == nullptr) return {};
  std::string text = fmt::format("\nChoices of {}:\n", flag_of(option));
  for (const Record* record : records) {
    text += fmt::format("  {:<20} {}", record->name, record->summary);
    for (const OptionRecord* read : record->options) text += fmt::format(" {}", flag_of(read->name));
    text += "\n";
  }
  return text;
}

// Of variational methods: what the user may choose, with the options that each choice reads.
std::string parts_text(const infer::Method& method) {
  return choices_text(method, "family", infer::families()) +
         choices_text(method, "objective", infer::objectives()) +
         choices_text(method, "estimator", infer::estimators()) +
         choices_text(method, "optimizer", infer::optimizers());
}

std::string method_text(const infer::Method& method) {
  std::string text = fmt::format("{}: {}\n\n", method.name, method.summary);
  text +=
      fmt::format("Use when: {}\nNeeds:    {}\nDraws:    {}\nSource:   {}\n\nOptions:\n", method.use_when,
                  needs_text(method.needs),
                  method.is_exact ? "converge to the posterior"
                                  : "are of an approximation; how far it is from the posterior is estimated",
                  method.citation);
  for (const OptionRecord* option : method.options)
    text +=
        fmt::format("  {:<20} {} (default {})\n", flag_of(option->name), option->help, default_text(*option));
  return text + parts_text(method);
}

std::string list_text() {
  std::string text;
  std::vector<const infer::Method*> all{&fit::auto_method()};
  all.insert(all.end(), infer::methods().begin(), infer::methods().end());
  for (const infer::Method* method : all) {
    text += fmt::format("{:<12} {}\n{:<12} Use when: {}\n{:<12} {}\n\n", method->name, method->summary, "",
                        method->use_when, "", method->citation);
  }
  return text + "kullback methods NAME shows a method's options.\n";
}

}  // namespace

Run add_methods(const Command& verb) {
  const auto name = std::make_shared<std::string>();
  verb.add_option("name", *name, "One method, with its options").type_name("NAME");
  return [name] {
    std::fputs(for_terminal(name->empty() ? list_text() : method_text(method_named(*name))).c_str(), stdout);
    return 0;
  };
}

}  // namespace kullback::cli
