// Finds the statement behind a log density that is not finite.
#pragma once

#include <string>

#include "tape/record/builder.hpp"

namespace kullback::tape {

struct NotFinite {
  Span span;         // the statement
  std::string what;  // "log(-1) is nan"
};

// Of a trace whose target is not finite: the first term that is not, followed back to the operation that made
// a number that is not finite out of finite ones.
NotFinite find_not_finite(const Builder& builder);

}  // namespace kullback::tape
