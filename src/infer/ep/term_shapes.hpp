// What kind of function each term is: through which directions it depends on the coordinates, and whether it
// is quadratic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "infer/ep/gaussian.hpp"
#include "infer/ep/scaled_terms.hpp"

namespace kullback::infer {

struct TermShape {
  enum class Kind : unsigned char {
    constant,
    quadratic,  // linear, too
    other,
  };
  Kind kind = Kind::constant;
  std::size_t rank = 0;  // it is a function of u = basis x, x its own coordinates
  std::vector<double>
      basis;  // rank * number of coordinates, row after row, rows orthonormal; empty: identity
  // Of quadratic terms: constant + shift' u - u' precision u / 2.
  NaturalGaussian natural;
  double constant = 0;
};

struct ProbeRange {
  const std::vector<double>& root;  // dim * dim, column after column: points are root * z, z standard normal
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
};

// Terms that depend on more than this many directions keep their own coordinates as a basis.
inline constexpr std::size_t kMostDirections = 5;

std::vector<TermShape> find_shapes(ScaledTerms& terms, const ProbeRange& range);

}  // namespace kullback::infer
