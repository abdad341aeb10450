// The lints as records: docs/lints.md prints from them.
#pragma once

#include <span>
#include <string_view>

#include "base/error.hpp"

namespace kullback::lang {

struct LintRecord {
  std::string_view code;
  Severity severity;  // the usual one; a lint may say less where it is less sure
  std::string_view doc;
};

std::span<const LintRecord> lint_records();

}  // namespace kullback::lang
