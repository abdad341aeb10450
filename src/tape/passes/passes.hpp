// What rewrites a trace before it is compiled. Each pass leaves an equivalent trace; it is a file of its name
// here, a line in passes.cpp, and a golden file in tests/tape/golden.
#pragma once

#include <span>
#include <string_view>

#include "tape/passes/trace.hpp"

namespace kullback::tape {

struct Pass {
  std::string_view name;
  void (*run)(Trace& trace);
  bool keeps_stand_ins =
      false;  // computes nothing from constants: also for traces where they stand for others
};
std::span<const Pass> all_passes();  // in the order in which they run

// Drops what neither the log density nor a guard needs.
void drop_unused(Trace& trace);
// Functions of short vectors that are called again and again become scalar operations.
void scalarize(Trace& trace);
// Computes equal expressions once, drops x + 0 and x * 1, splits the target's sums into terms, and turns long
// chains of additions into one sum.
void simplify(Trace& trace);
// One decomposition for the eigenvalues and the eigenvectors of a matrix.
void share_eigendecompositions(Trace& trace);
// Replaces densities by equal ones that cost less.
void rewrite_densities(Trace& trace);
// Linear predictors and the densities that read them become one function.
void fuse_glm(Trace& trace);
// Replaces normal likelihoods whose means are affine in few numbers by their sufficient statistics.
void collapse_normals(Trace& trace);
// Orders the sums inside recurrences so that little is left to do in each step.
void reassociate(Trace& trace);
// Products that are only added to something become one operation with the addition.
void fuse_multiply_add(Trace& trace);

}  // namespace kullback::tape
