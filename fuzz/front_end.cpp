// Any bytes through the whole front end. Beyond not crashing: an accepted program must be accepted again
// after formatting, mean the same, and formatting must not change what is already formatted.
#include "lang/front_end.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/render.hpp"
#include "lang/parse.hpp"
#include "lang/print.hpp"
#include "lang/print_program.hpp"

namespace {

using namespace kullback;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

struct Run {
  SourceMap sources;
  lang::Understood understood;
};

Run understand(const std::string& text) {
  Run run;
  const FileId file = run.sources.add("/nowhere/fuzz.stan", text);
  run.understood = lang::understand(run.sources, file);
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Run run = understand({reinterpret_cast<const char*>(data), size});
  for (const Diagnostic& d : run.understood.diagnostics) {
    require(!render(d, run.sources).empty() && !render_json(d, run.sources).empty(), "a diagnostic renders");
  }
  if (run.understood.program == nullptr) {
    require(has_errors(run.understood.diagnostics), "a program that is refused has an error");
    return 0;
  }
  const std::string once = lang::format(run.understood.tree, run.sources);
  const Run again = understand(once);
  require(again.understood.program != nullptr, "the formatted program is accepted");
  require(lang::format(again.understood.tree, again.sources) == once, "formatting twice changes nothing");
  require(lang::dump(*run.understood.program) == lang::dump(*again.understood.program),
          "formatting does not change the meaning");
  return 0;
}
