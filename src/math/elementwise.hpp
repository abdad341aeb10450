// Functions R^n -> R (n = 1, 2, 3) that apply element by element: exp, lgamma, pow, fma, ...
// One functor per function, in math/functions/<theme>.cpp; one line per function in
// functions/elementwise.def.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "math/operand.hpp"

namespace kullback::math {

struct ElementwiseCall {
  std::size_t count = 1;
  std::size_t lanes = 1;
  const Operand* arguments = nullptr;      // arity of them
  double* result = nullptr;                // count * lanes
  const double* result_adjoint = nullptr;  // backward only
};

struct Elementwise {
  std::string_view name;
  int arity = 1;
  double (*value)(const double* x) = nullptr;
  // Partial derivatives at x, where value(x) is already known.
  void (*partials)(const double* x, double value, double* partials) = nullptr;
  void (*forward)(const ElementwiseCall& call) = nullptr;
  void (*backward)(const ElementwiseCall& call) = nullptr;  // adds into the adjoints of arguments that vary
};

// Null where there is no such function. Names are Stan's; operators have the names "add", "subtract",
// "multiply", "divide", "pow", "minus" (scalar forms).
const Elementwise* find_elementwise(std::string_view name);
std::span<const Elementwise> all_elementwise();

}  // namespace kullback::math
