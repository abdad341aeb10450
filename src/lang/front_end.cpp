#include "lang/front_end.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "lang/check.hpp"
#include "lang/lint.hpp"
#include "lang/modernize.hpp"
#include "lang/parse.hpp"

namespace kullback::lang {

namespace {

void append(Diagnostics& all, Diagnostics more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void sort_by_position(Diagnostics& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
  });
}

}  // namespace

// A pass runs only where the one before found no error: what it would say of a broken program is noise.
Understood understand(SourceMap& sources, FileId file, const FrontEndOptions& options) {
  Parsed parsed = parse(sources, file,
                        {.include_paths = options.include_paths, .functions_only = options.functions_only});
  Understood understood{std::move(parsed.tree), nullptr, std::move(parsed.diagnostics)};
  if (!has_errors(understood.diagnostics)) {
    append(understood.diagnostics, modernize(understood.tree));
    Checked checked = check(understood.tree);
    append(understood.diagnostics, std::move(checked.diagnostics));
    understood.program = std::move(checked.program);
  }
  if (understood.program && options.lint) append(understood.diagnostics, lint(*understood.program, sources));
  sort_by_position(understood.diagnostics);
  return understood;
}

}  // namespace kullback::lang
