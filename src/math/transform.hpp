// Constraint transforms: free numbers <-> values of a constrained type, with log-Jacobians, adjoints and
// checks, equal to Stan's (2.37 and later). Like array ops: dense numbers of one draw, matrices column-major,
// an array is its items one after another. One record per type in math/transforms/, one line each in
// transforms/transforms.def.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "math/array_op.hpp"

namespace kullback::math {

// Stan's tolerance for sums, lengths, diagonals and symmetry.
inline constexpr double kConstraintTolerance = 1e-8;

// What is wrong with a value. The subject of the sentence is the caller's: "theta[2]" + " sums to 1.2, but
// ...".
struct Violation {
  std::size_t item = 0;  // of an array
  bool whole = true;     // the item as a whole is meant, else the number at (row, col), from 0
  std::size_t row = 0;
  std::size_t col = 0;
  std::size_t count = 1;  // how many numbers or items are wrong; this is the first
  double excess = 0;      // by how much the constraint is missed, NaN where that has no meaning
  std::string what;       // "sums to 1.2, but must sum to 1"
};

// Bounds, in the order of bound_names: each has 1 number (for all), as many as one item (the same for each
// item of an array), or as many as the whole value.
struct TransformCall {
  Shape shape;  // of the constrained value
  std::span<const DenseArgument> bounds;
  const double* free = nullptr;    // free_size(...) of them
  double* value = nullptr;         // shape.size(); forward writes it, backward reads it
  double* log_jacobian = nullptr;  // forward ADDS to it; null: not wanted
  double* scratch = nullptr;       // scratch_size(...), kept from forward to backward
  // backward only:
  const double* value_adjoint = nullptr;
  double log_jacobian_adjoint = 0;
  double* free_adjoint = nullptr;  // to be ADDED to
  std::span<double* const> bound_adjoints =
      {};  // like ArrayCall::adjoints; may be empty where no bound varies
};

struct ConstrainedValue {
  Shape shape;
  std::span<const DenseArgument> bounds;
  const double* value = nullptr;
};

// The functions of a record see one item (shape.count = 1), or for elementwise transforms all numbers as one
// column: call the free functions below, which go through arrays.
struct TransformDef {
  std::string_view name;  // "lower", "simplex", "cholesky_factor_cov", ...
  std::string_view doc;
  std::span<const std::string_view> bound_names = {};
  bool elementwise = false;
  std::size_t (*free_size)(Shape item) = nullptr;
  std::size_t (*scratch_size)(Shape item) = nullptr;  // null: none
  // What is wrong with the size as that of a parameter: "must have at least 1 row". Empty: nothing. Null:
  // never wrong.
  std::string (*size_problem)(Shape item) = nullptr;
  void (*forward)(const TransformCall& call) = nullptr;
  void (*backward)(const TransformCall& call) = nullptr;
  // Free numbers of a value that has passed `check`, or reports why there are none.
  std::optional<Violation> (*unconstrain)(const ConstrainedValue& value, double* free) = nullptr;
  std::optional<Violation> (*check)(const ConstrainedValue& value) = nullptr;
  // What `unconstrain` demands, where that is less than `check` (Stan's inits are checked less strictly than
  // data).
  std::optional<Violation> (*check_init)(const ConstrainedValue& value) = nullptr;
};

const TransformDef* find_transform(std::string_view name);
std::span<const TransformDef* const> all_transforms();

std::size_t free_size(const TransformDef& transform, Shape shape);
std::size_t scratch_size(const TransformDef& transform, Shape shape);

// Throws std::domain_error where Stan does: a lower bound not below the upper, a unit vector from zeros, ...
void constrain(const TransformDef& transform, const TransformCall& call);
void constrain_backward(const TransformDef& transform, const TransformCall& call);

// The free numbers of a value, or what is wrong with it (then `free` is left in any state).
[[nodiscard]] std::optional<Violation> unconstrain(const TransformDef& transform,
                                                   const ConstrainedValue& value, double* free);

// Nothing where the value satisfies the constraint within Stan's tolerance. NaN never does, except where
// nothing is constrained (identity, offset_multiplier).
std::optional<Violation> find_violation(const TransformDef& transform, const ConstrainedValue& value);

// A sentence without a name: "[3] is -1, but must be at least 0", "item 2 sums to 1.2, but must sum to 1".
std::string describe(const Violation& violation, Shape shape);

}  // namespace kullback::math
