// Refuses what would not fit in memory, before it is allocated.
#pragma once

#include <cstdint>
#include <span>

#include "base/source.hpp"
#include "tape/record/builder.hpp"
#include "tape/rows/rows.hpp"
#include "tape/tape.hpp"

namespace kullback::model {

// Throws Error: how large the trace has become, or its tape and workspace would be, and which statement is
// behind most of it.
[[noreturn]] void refuse_size(const tape::Builder& builder, const SourceMap& sources, std::size_t bytes,
                              std::size_t limit);

// The statement that is traced wants more numbers than memory holds.
[[noreturn]] void refuse_allocation(const tape::Builder& builder, const SourceMap& sources);

// Throws Error where a workspace of so many lanes does not fit. `rows`: those of a minibatch, 0 for all data.
void check_workspace_size(const tape::Tape& tape, std::size_t lanes, std::size_t limit, std::size_t rows = 0);

// Throws Error where the tape of a minibatch, with so many rows of each class, does not fit.
void check_row_tape_size(const tape::RowProgram& program, std::span<const std::uint32_t> counts,
                         std::size_t limit);

}  // namespace kullback::model
