// Built-in functions that are neither one kernel nor a moving of numbers: each kind has a file of its own.
#pragma once

#include <span>
#include <string_view>

#include "tape/trace/tracer.hpp"

namespace kullback::tape {

// Whether the name is one of theirs; the call, false where it does not serve these arguments.
using NameTest = bool(std::string_view name);
using SpecialCall = bool(Tracer& tracer, std::string_view name, std::span<const Value> arguments,
                         const math::Type& type, Value& result);

// All of the following but those of ints, and constants like log2().
NameTest is_special;
SpecialCall call_special;

// lower_bound_constrain, simplex_jacobian, cov_matrix_unconstrain, ... (constraints.cpp)
NameTest is_constraint_function;
SpecialCall call_constraint;

// Functions whose result is an int: comparisons, rank, choose, ... (ints.cpp)
NameTest is_int_function;
SpecialCall call_int_function;

// eigendecompose_sym, svd, qr, csr_extract, ... (tuples.cpp)
NameTest is_tuple_function;
SpecialCall call_tuple_function;

// hypergeometric_2F1, student_t_qf (formulas.cpp)
NameTest is_formula_function;
SpecialCall call_formula_function;

}  // namespace kullback::tape
