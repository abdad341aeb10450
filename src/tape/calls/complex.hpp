// Complex numbers on the tape: pairs of real ones. Every operation is real arithmetic on the pairs, so that
// it has derivatives with respect to both parts.
#pragma once

#include <span>
#include <string_view>

#include "lang/operators.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

bool involves_complex(std::span<const Value> arguments, const math::Type& result);

// False where there is no such function of complex numbers.
bool call_complex(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                  const math::Type& type, Value& result);
bool is_complex_function(std::string_view name);

Value imaginary(Tracer& tracer, double value);
Value complex_binary(Tracer& tracer, lang::Op op, const Value& left, const Value& right,
                     const math::Type& type);
bool complex_equal(Tracer& tracer, const Value& left, const Value& right);
Value complex_transposed(const Value& value, const math::Type& type);

}  // namespace kullback::tape
