// Functions that take functions: solvers, quadrature, reduce_sum, map_rect, the embedded Laplace
// approximation. They have no overloads of their own to choose among; what fits depends on the callback.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "math/signatures.hpp"

namespace kullback::math {

// A call is f(callback, controls..., forwarded...). The callback is a user's function: its parameter
// types and result are exactly the required ones (no promotion), and a parameter may be `data` only where
// the required one is; its name has no suffix such as _lpdf or _rng, unless takes_density.
struct HigherOrder {
  enum class Form {
    fixed,       // nothing is forwarded; the callback is exactly `callback`
    variadic,    // further parameters of the callback are matched, with promotion, by forwarded arguments
    reduce_sum,  // the same; the type of the slice is the callback's first parameter: reduce_sum_record()
  };
  std::string_view name;
  Form form = Form::fixed;
  Signature callback;  // required parameters and result
  // The controls, and as `result` what the call returns; one element, or, for `fixed`, the overloads.
  std::vector<Signature> calls;
  bool takes_density = false;  // the callback may be an _lpdf or _lpmf (written with or without the u)
};

std::optional<HigherOrder> find_higher_order(std::string_view name);

// For `name` reduce_sum or reduce_sum_static and a callback whose first parameter is `slice`: the callback
// begins (slice, data int, data int), the controls are (slice, int). A slice is an array (of any rank) of
// one of the kinds below.
HigherOrder reduce_sum_record(std::string_view name, const Argument& slice);
std::span<const Kind> reduce_sum_slice_kinds();

// f(likelihood, tuple, hessian_block_size, covariance, tuple[, controls]): the tuples hold what is
// forwarded, with promotion, after the parameters required here. A helper has, in place of `likelihood,
// tuple`, the arguments of a likelihood that is built in.
struct Laplace {
  std::string_view name;
  Type result;
  std::optional<Signature> likelihood;         // (vector) => real; a helper has none
  std::vector<Argument> likelihood_arguments;  // of a helper
  Argument hessian_block_size;                 // exactly data int, no promotion
  Signature covariance;                        // () => matrix
  std::vector<Argument> controls;              // elements of the control tuple; empty: there is none
  bool forwards_data_only = false;             // laplace_latent_solve: both tuples must be data
};

std::optional<Laplace> find_laplace(std::string_view name);

bool is_higher_order(std::string_view name);  // one of the two above
std::vector<std::string_view> higher_order_names();

// Has no derivatives of second order, so that a Laplace likelihood must not call it.
bool lacks_second_derivatives(std::string_view name);

}  // namespace kullback::math
