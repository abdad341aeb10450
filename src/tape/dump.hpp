// A trace as text; that of the tape is dump(const Tape&, ...) of tape.hpp.
#pragma once

#include <string>

#include "base/source.hpp"
#include "tape/passes/trace.hpp"
#include "tape/record/builder.hpp"

namespace kullback::tape {

// One line per operation: result, function, operands, count, statement. p is a parameter, s a slot, numbers
// are constants.
std::string dump(const Builder& builder, const SourceMap& sources);
// The same of a trace that passes have rewritten.
std::string dump(const Trace& trace, const SourceMap& sources);

}  // namespace kullback::tape
