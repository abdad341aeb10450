// Built-in functions that take functions: solvers, quadrature, reduce_sum, map_rect. One file per kind in
// tape/higher_order/, one line per function in higher_order.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tape/trace/tracer.hpp"

namespace kullback::tape {

struct HigherOrderCall {
  Tracer& tracer;
  const lang::Expr& expr;
  std::string_view name;
  std::vector<const lang::Function*> functions;  // arguments that are functions, in order
  std::vector<Value> values;                     // the others, in order

  Builder& builder() const { return tracer.builder(); }
  std::vector<double> numbers(const Value& value) const;
  double number(const Value& value) const { return numbers(value).front(); }
};

// May throw std::domain_error and std::invalid_argument: the call is rejected.
using HigherOrderFunction = Value (*)(const HigherOrderCall& call);
HigherOrderFunction find_higher_order(std::string_view name);  // null where there is none of this name
Value call_higher_order(Tracer& tracer, const lang::Expr& expr, const lang::Call& node);

}  // namespace kullback::tape
