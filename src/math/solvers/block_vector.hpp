// Vectors for SUNDIALS, made for systems of few equations, where calls cost more than arithmetic. SUNDIALS'
// own serial vectors do more per call, and Debian compiles them without optimisation.
#pragma once

#include <sundials/sundials_nvector.h>

#include <cstddef>

namespace kullback::math::sundials {

// Blocks of `block` numbers, one after another. Operations know nothing of blocks, but for the weighted
// root-mean-square norm: it is the largest over the blocks. So one vector may hold all columns of a matrix of
// sensitivities and be measured as SUNDIALS measures the columns one by one.
struct BlockVector final {
  double* data;
  std::size_t length;
  std::size_t block;
};

// Both in one piece, so that the numbers are found without following `content`.
struct BlockVectorObject final {
  _generic_N_Vector vector;  // what SUNDIALS points to
  BlockVector numbers;
};

inline BlockVector& block_vector(N_Vector v) { return reinterpret_cast<BlockVectorObject*>(v)->numbers; }
inline double* data(N_Vector v) { return block_vector(v).data; }

// A vector on `numbers`, owned elsewhere; its clones own their numbers, which start as zeros. N_VDestroy ends
// it. Null where memory is short.
N_Vector make_block_vector(const BlockVector& numbers, SUNContext context);

}  // namespace kullback::math::sundials
