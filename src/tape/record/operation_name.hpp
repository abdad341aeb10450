// Names of recorded operations, for messages and dumps.
#pragma once

#include <string>

#include "tape/record/builder.hpp"

namespace kullback::tape {

// "exp", "normal_lpdf", "multiply", "simplex".
std::string operation_name(OpKind kind, const void* definition);

}  // namespace kullback::tape
