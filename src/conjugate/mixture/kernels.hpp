// Hot loops of mixtures, in vector registers (math/instruction_set.hpp). Units are innermost: coordinate d of
// unit n is at columns[d * stride + n], the number of component k for unit n at [k * stride + n]. `stride` is
// a multiple of kUnitBlock, and what lies beyond the last unit is finite.
//
// Floor of a pass of a full Gaussian mixture, N units, K components, D columns: N K D (D + 1) / 2
// multiply-adds for the Mahalanobis distances and as many for the second moments, less where
// responsibilities are 0; N K exponentials.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::conjugate::mixture {

inline constexpr std::size_t kUnitBlock = 12;  // 3 packs of 4
inline constexpr std::size_t kPack = 4;
// Responsibilities below this are 0 in the statistics: the others of the unit still add up to 1 to rounding.
inline constexpr double kSmallestShare = 0x1p-53;

inline std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

struct Tile {
  const double* columns;
  std::size_t stride;
  std::size_t dimensions;
};

// A lower triangle, row-major of size D * D, in the order in which the products read it: rows in blocks of 4,
// of each block column after column.
std::vector<double> pack_triangle(std::span<const double> lower, std::size_t dimensions);
// `shift` has room for round_up(D, 4) numbers.
struct Triangle {
  const double* packed;
  const double* shift;
};
// squares[n] = |L x_n - shift|^2.
void triangular_squares(const Tile& tile, const Triangle& triangle, double* squares);
// product[i * stride + n] = (L x_n)_i for i < D.
void triangular_product(const Tile& tile, const double* packed, double* product);
// squares[n] = sum_d precision[d] (x_nd - centre[d])^2.
void scaled_squares(const Tile& tile, const double* centre, const double* precision, double* squares);

// Logarithms of unnormalised responsibilities become responsibilities. entropies[n] and log_sums[n] are of
// unit n; either may be null. Shares below `cut` become 0.
struct Shares {
  double* shares;
  std::size_t components;
  std::size_t stride;
  std::size_t units;
  double* entropies;
  double* log_sums;
  double cut;
};
void normalise(const Shares& call);

// Sums over units with shares above 0: first[d] += share x_d, second += share x x' (its lower triangle in
// blocks, see second_moment), of rows[n * padded + d], padded a multiple of 4. Returns the sum of shares.
struct Moments {
  const double* rows;
  std::size_t padded;
  const double* shares;
  std::size_t units;
  double* first;
  double* second;  // null: not wanted
};
double add_moments(const Moments& call);
std::size_t second_size(std::size_t padded);
// Where element (i, j), i >= j, of the second moments is.
inline std::size_t second_place(std::size_t i, std::size_t j) {
  const std::size_t block = i / kPack;
  return ((block * (block + 1) / 2 + j / kPack) * kPack + i % kPack) * kPack + j % kPack;
}
// Sums over units with shares above 0: first[d] += share x_d, second[d] += share x_d^2. Returns the sum of
// shares.
double add_axis_moments(const Moments& call);

}  // namespace kullback::conjugate::mixture
