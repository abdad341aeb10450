// Values as print() and reject() write them.
#pragma once

#include <string>

#include "tape/record/builder.hpp"
#include "tape/record/value.hpp"

namespace kullback::tape {

// 1.5, [1, 2], [[1, 2], [3, 4]] (by rows), a complex number or a tuple (1, 2).
void append_text(const Value& value, const Builder& builder, std::string& text);

}  // namespace kullback::tape
