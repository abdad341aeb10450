// What a lint is: a function that reads Facts and reports. One line in lints.def each.
#pragma once

#include <string>

#include "base/error.hpp"
#include "lang/lint/facts.hpp"
#include "lang/lint/records.hpp"

namespace kullback::lang {

class Report final {
 public:
  Report(const LintRecord& record, Diagnostics& out) : record_(record), out_(out) {}

  Diagnostic& add(Span span, std::string message, std::string hint = {}) {
    out_.push_back({.severity = record_.severity,
                    .code = std::string(record_.code),
                    .span = span,
                    .message = std::move(message),
                    .hint = std::move(hint)});
    return out_.back();
  }

 private:
  const LintRecord& record_;
  Diagnostics& out_;
};

#define KULLBACK_LINT(function, code, severity, doc) void lint_##function(const Facts& facts, Report& report);
#include "lang/lint/lints.def"
#undef KULLBACK_LINT

}  // namespace kullback::lang
