// A typed expression as the Stan source that means it: promotions left out, parentheses where needed.
#pragma once

#include <string>
#include <string_view>

#include "lang/program.hpp"

namespace kullback::lang {

std::string stan_text(const Expr& expr);

// "vector<lower=0>[J]", "array[N, M] int": the declaration without its variable.
std::string stan_text(const SizedType& type);

// "simplex", "cov_matrix": the keyword of a constrained type; empty for plain ones, bounded or not.
std::string_view constraint_keyword(const SizedType& type);

// As short as reads back to the same double: "0.5", "1e-06".
std::string number_text(double value);

// How tightly a text binds, for those who build larger expressions from texts: the binding of its
// outermost operator, or kAtom.
inline constexpr int kAtom = 100;
int text_binding(const Expr& expr);

// `left op right`; parentheses around an operand that binds too loosely.
std::string join_text(std::string left, int left_binding, Op op, std::string_view right, int right_binding);

}  // namespace kullback::lang
