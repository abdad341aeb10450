// How much memory a trace, its tape and a workspace take, and which statement takes most of it.
#pragma once

#include <cstddef>

#include "tape/record/builder.hpp"

namespace kullback::tape {

struct TraceSize {
  std::size_t bytes = 0;
  Span largest;            // the statement whose operations take most
  double share_of_it = 0;  // 0..1
};

TraceSize size_of(const Builder& builder);

// An estimate for the tape of this trace and a workspace of so many lanes, before either is built: about the
// trace once more, value and adjoint of each slot, and the partial derivatives of densities.
std::size_t estimated_bytes(const Builder& builder, std::size_t lanes);

}  // namespace kullback::tape
