// Arithmetic on ints, which have 32 bits in Stan. A result that they cannot hold is refused.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Op;

namespace {

using Limits = std::numeric_limits<int>;

bool is_int(std::int64_t number) { return number >= Limits::min() && number <= Limits::max(); }

template <class Number>
std::string beyond(const std::string& operation, Number result) {
  return fmt::format("{} is {}, but an int holds {} to {} only.", operation, result, Limits::min(),
                     Limits::max());
}

std::string text_of_operation(Op op, int a, int b) {
  const std::string right = b < 0 ? fmt::format("({})", b) : std::to_string(b);
  return fmt::format("{} {} {}", a, lang::to_string(op), right);
}

}  // namespace

int Tracer::int_operation(Op op, int a, int b) const {
  const std::int64_t left = a;
  std::int64_t result = 0;
  switch (op) {
    case Op::plus: result = left + b; break;
    case Op::minus: result = left - b; break;
    case Op::times:
    case Op::elt_times: result = left * b; break;
    default:  // division in one of its forms
      if (b == 0) refuse(fmt::format("{} divides an int by zero.", text_of_operation(op, a, b)));
      result = op == Op::modulo ? left % b : left / b;
  }
  if (!is_int(result)) refuse(beyond(text_of_operation(op, a, b), result));
  return static_cast<int>(result);
}

int Tracer::negated(int a) const {
  if (a == Limits::min()) refuse(beyond(fmt::format("-({})", a), -static_cast<std::int64_t>(a)));
  return -a;
}

int Tracer::checked_int(std::string_view function, double result) const {
  if (!(result >= Limits::min() && result <= Limits::max()))
    refuse(beyond(fmt::format("the result of {}", function), result));
  return static_cast<int>(result);
}

}  // namespace kullback::tape
