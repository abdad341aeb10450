#include "tape/calls/special_calls.hpp"

#include <numbers>

#include "tape/calls/complex.hpp"

namespace kullback::tape {

bool is_special(std::string_view name) {
  return is_constraint_function(name) || is_int_function(name) || is_tuple_function(name) ||
         is_formula_function(name) || is_complex_function(name);
}

bool call_special(Tracer& t, std::string_view name, std::span<const Value> arguments, const math::Type& type,
                  Value& result) {
  if (arguments.empty() && (name == "log2" || name == "log10")) {
    result = real_value(t.builder().constant(name == "log2" ? std::numbers::ln2 : std::numbers::ln10));
    return true;
  }
  return call_constraint(t, name, arguments, type, result) ||
         call_tuple_function(t, name, arguments, type, result) ||
         call_formula_function(t, name, arguments, type, result) ||
         ((involves_complex(arguments, type) || name == "polar") &&
          call_complex(t, name, arguments, type, result));
}

}  // namespace kullback::tape
