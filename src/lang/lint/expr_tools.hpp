// Small questions about expressions.
#pragma once

#include <optional>
#include <string_view>

#include "lang/program.hpp"

namespace kullback::lang {

// The variable an expression is a part of: x for x, x[1, n], x.2; null for anything else.
const Variable* root_variable(const Expr& expr);

// The variable an expression is, promotions aside; null for anything else.
const Variable* whole_variable(const Expr& expr);

// The value of a short expression made of numbers: 2, -0.5, pi() / 2, negative_infinity().
std::optional<double> constant_value(const Expr& expr);

// The same tree with the same names and numbers; false also where both are too large to look at.
bool same_expr(const Expr& a, const Expr& b);

bool mentions(const Expr& expr, const Variable& variable);

// size, rows, dims and the like: the value looks at the shape of the argument only.
bool is_size_function(std::string_view name);

// "normal" of "normal_lpdf"; empty where the name does not end so.
std::string_view without_suffix(std::string_view name, std::string_view suffix);

}  // namespace kullback::lang
