// The operators of the language, shared by the syntax tree and the typed program.
#pragma once

#include <cstdint>
#include <string_view>

namespace kullback::lang {

enum class Op : std::uint8_t {
  plus,
  minus,
  times,
  divide,
  int_divide,
  modulo,
  left_divide,
  elt_times,
  elt_divide,
  pow,
  elt_pow,
  or_,
  and_,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  not_,
  transpose,
};

std::string_view to_string(Op op);  // as written: "%/%", "'"

// Binding strength of a binary operator; larger binds tighter. Unary operators bind at kPrefixBinding,
// between the multiplicative operators and the powers: -x^2 is -(x^2).
int binding(Op op);
inline constexpr int kPrefixBinding = 9;
inline constexpr int kTernaryBinding = 1;
bool is_right_associative(Op op);
bool is_logical(Op op);     // || && == != < <= > >=: not allowed bare inside <lower = ...>
bool is_comparison(Op op);  // == != < <= > >=

}  // namespace kullback::lang
