// Any bytes as a file of draws. What is read must be summed up, looked through for problems and written, and
// what was written must read back to the same numbers.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "posterior/files.hpp"
#include "posterior/findings.hpp"
#include "run/text.hpp"

namespace {

using namespace kullback;
using namespace kullback::posterior;

constexpr std::size_t kWidth = 80;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

bool is_same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

void require_lines_fit(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    require(end != std::string::npos && end - begin <= kWidth, "a line of the table fits");
    begin = end + 1;
  }
}

void look_through(const Posterior& posterior) {
  std::size_t columns = 0;
  for (const Variable& variable : find_variables(posterior.names)) columns += variable.size;
  require(columns == posterior.names.size(), "each column belongs to one variable");
  for (const bool is_markov : {true, false}) {
    const std::vector<SummaryRow> rows = summarize(posterior, is_markov);
    require_lines_fit(table_text(rows, kWidth));
    run::findings_text(find_problems(posterior, rows, {.is_markov = is_markov}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Posterior posterior;
  try {
    posterior = read_csv_text("fuzz.csv", {reinterpret_cast<const char*>(data), size});
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::bad_input, "a file is refused as bad input");
    return 0;
  }
  look_through(posterior);
  run::RunRecord record;
  record.method = "nuts";
  const Posterior again = read_csv_text("again.csv", csv_text(posterior, 0, record));
  const Chain& first = posterior.chains[0];
  const Chain& second = again.chains[0];
  require(again.names == posterior.names, "names read back");
  require(is_same(first.columns, second.columns), "draws read back");
  require(is_same(first.log_density, second.log_density), "log densities read back");
  require(is_same(first.log_weight, second.log_weight), "weights read back");
  return 0;
}
