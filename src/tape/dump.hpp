// The trace as text; that of the tape is dump(const Tape&, ...) of tape.hpp.
#pragma once

#include <string>

#include "base/source.hpp"
#include "tape/record/builder.hpp"

namespace kullback::tape {

// One line per operation: result, function, operands, count, statement. p is a parameter, s a slot, numbers
// are constants.
std::string dump(const Builder& builder, const SourceMap& sources);

}  // namespace kullback::tape
