#include "posterior/summary.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/conjugate_text.hpp"
#include "cli/fit_text.hpp"
#include "cli/verb.hpp"
#include "conjugate/fit.hpp"
#include "fit/fit.hpp"
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
    std::fputs(outcome_text(outcome, arguments.folder, arguments.all).c_str(), stdout);
    return 0;
  }
  const posterior::Folder folder = posterior::read_folder(arguments.folder);
  const auto rows = fit::summary_rows(folder.posterior, folder.record);
  std::string text = head_text(folder.record, folder.posterior) + "\n\n";
  text += posterior::table_text(rows, kTableWidth, arguments.all ? 0 : kTableRows);
  text += "\n" + findings_or_none(folder.record, folder.record.findings);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

Run add_summary(CLI::App& verb) {
  const auto arguments = std::make_shared<SummaryArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a fit")->required()->type_name("DIR");
  verb.add_flag("--all", arguments->all, "All rows, however many");
  return [arguments] { return run_summary(*arguments); };
}

}  // namespace kullback::cli
