// Diagnostics as people and as programs read them.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/source.hpp"

namespace kullback {

// file:line:column, the message, five lines of source with a caret, the hint. Ends with a newline.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources);

// All of them, one after another. Old forms of the same kind are told once, with their number.
std::string render(const Diagnostics& diagnostics, const SourceMap& sources);

// {"file": ..., "line": ..., "column": ..., "severity": ..., "code": ..., "message": ..., "hint": ...}
std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace kullback
