#include "posterior/summary.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/advice.hpp"
#include "cli/verb.hpp"
#include "conjugate/fit.hpp"
#include "conjugate/outcome_text.hpp"
#include "fit/fit.hpp"
#include "fit/outcome_text.hpp"
#include "posterior/files.hpp"

namespace kullback::cli {

namespace {

struct SummaryArguments {
  std::string folder;
  bool all = false;
};

int run_summary(const SummaryArguments& arguments) {
  if (conjugate::is_conjugate_fit(arguments.folder)) {
    const conjugate::Outcome outcome = conjugate::read_outcome(arguments.folder);
    std::fputs(for_terminal(outcome_text(outcome, arguments.folder, arguments.all)).c_str(), stdout);
    return 0;
  }
  const posterior::Folder folder = posterior::read_folder(arguments.folder);
  const std::string text =
      fit::summary_text(folder.record, folder.posterior, arguments.all ? 0 : fit::kTableRows);
  std::fputs(for_terminal(text).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_summary(const Command& verb) {
  const auto arguments = std::make_shared<SummaryArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a fit").required().type_name("DIR");
  verb.add_flag("--all", arguments->all, "All rows, however many");
  return [arguments] { return run_summary(*arguments); };
}

}  // namespace kullback::cli
