#include <cstdio>

#include "deep/cli/text.hpp"
#include "deep/cli/verb.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::deep::cli {

int run_summary(const std::vector<std::string>& words) {
  const Grammar grammar{.verb = "summary",
                        .summary = "Prints the summary of a trained model.",
                        .positionals = {{"DIR", "folder of the model"}}};
  const Arguments arguments = parse(grammar, words);
  if (arguments.wants_help) {
    std::fputs(help_text(grammar).c_str(), stdout);
    return 0;
  }
  const std::string& folder = arguments.positionals[0];
  std::fputs(record_text(posterior::open_folder(folder), folder).c_str(), stdout);
  return 0;
}

}  // namespace kullback::deep::cli
