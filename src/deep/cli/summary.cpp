#include <cstdio>

#include "deep/cli/text.hpp"
#include "deep/cli/verb.hpp"
#include "run/folder.hpp"

namespace kullback::deep::cli {

Run add_summary(const Command& verb, const std::vector<std::string>&) {
  return [arguments = add_usage(verb, {.positionals = {{"DIR", "Folder of the model"}}})] {
    const std::string& folder = arguments->positionals[0];
    std::fputs(record_text(run::open_folder(folder), folder).c_str(), stdout);
    return 0;
  };
}

}  // namespace kullback::deep::cli
