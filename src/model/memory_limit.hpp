// Refuses what would not fit in memory, before it is allocated.
#pragma once

#include "base/source.hpp"
#include "tape/builder.hpp"
#include "tape/tape.hpp"

namespace kullback::model {

// Throws Error: how large the trace has become, or its tape and workspace would be, and which statement is
// behind most of it.
[[noreturn]] void refuse_size(const tape::Builder& builder, const SourceMap& sources, std::size_t bytes,
                              std::size_t limit);

// Throws Error where a workspace of so many lanes does not fit.
void check_workspace_size(const tape::Tape& tape, std::size_t lanes, std::size_t limit);

}  // namespace kullback::model
