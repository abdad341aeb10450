// Built-in functions that are neither one kernel nor a moving of numbers: each has a file of its own, a test
// of its name and a call that answers false where it does not serve these arguments.
#pragma once

#include <span>
#include <string_view>

#include "tape/tracer.hpp"

namespace kullback::tape {

// All of the following but those of ints, and constants like log2().
bool is_special(std::string_view name);
bool call_special(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                  const math::Type& type, Value& result);

// lower_bound_constrain, simplex_jacobian, cov_matrix_unconstrain, ... (constraint_calls.cpp)
bool is_constraint_function(std::string_view name);
bool call_constraint(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                     const math::Type& type, Value& result);

// Functions whose result is an int: comparisons, rank, choose, ... (int_calls.cpp)
bool is_int_function(std::string_view name);
bool call_int_function(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                       const math::Type& type, Value& result);

// eigendecompose_sym, svd, qr, csr_extract, ... (tuple_calls.cpp)
bool is_tuple_function(std::string_view name);
bool call_tuple_function(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                         const math::Type& type, Value& result);

// hypergeometric_2F1, student_t_qf (formula_calls.cpp)
bool is_formula_function(std::string_view name);
bool call_formula_function(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                           const math::Type& type, Value& result);

}  // namespace kullback::tape
