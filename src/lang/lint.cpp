#include "lang/lint.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "lang/lint/facts.hpp"
#include "lang/lint/report.hpp"

namespace kullback::lang {
namespace {

struct Lint {
  LintRecord record;
  void (*run)(const Facts&, Report&);
};

#define KULLBACK_LINT(function, code, severity, doc) Lint{{code, Severity::severity, doc}, lint_##function},
constexpr auto kLints = std::to_array<Lint>({
#include "lang/lint/lints.def"
});
#undef KULLBACK_LINT

#define KULLBACK_LINT(function, code, severity, doc) LintRecord{code, Severity::severity, doc},
constexpr auto kRecords = std::to_array<LintRecord>({
#include "lang/lint/lints.def"
});
#undef KULLBACK_LINT

}  // namespace

std::span<const LintRecord> lint_records() { return kRecords; }

Diagnostics lint(const Program& program, const SourceMap& sources) {
  const Facts facts(program, sources);
  Diagnostics out;
  for (const Lint& lint : kLints) {
    Report report(lint.record, out);
    lint.run(facts, report);
  }
  std::stable_sort(out.begin(), out.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
  });
  return out;
}

}  // namespace kullback::lang
