// Distances between two samples of which no density is known. For the conventions see stats/divergence.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/radial_kernel.hpp"

namespace kullback::stats {

// Of the empirical distributions of two samples on the line, exact by sorting; sizes may differ. Order 1 to
// infinity.
double wasserstein(std::span<const double> x, std::span<const double> y, double order = 1);

// A distribution on finitely many points of the line: weights that sum to 1 within 1e-8.
struct Atoms {
  std::span<const double> values;
  std::span<const double> weights;
};
double wasserstein(const Atoms& x, const Atoms& y, double order = 1);

// Point after point, `dim` coordinates each.
struct Points {
  std::span<const double> values;
  std::size_t dim = 1;
};

struct SlicedOptions {
  double order = 2;
  std::size_t projections = 200;
  std::uint64_t seed = 1;
};
struct Sliced {
  double value = 0;
  double standard_error = 0;  // of the choice of directions alone, not of the samples; 0 in one dimension
};
// (mean over directions theta of W(theta x, theta y)^order)^(1/order), Bonneel et al. (2015). The mean is
// unbiased for that over all directions, its root is low by a bias of order 1 / projections.
Sliced sliced_wasserstein(const Points& x, const Points& y, const SlicedOptions& options = {});

// rbf: exp(-|x - y|^2 / (2 l^2)); imq: 1 / sqrt(1 + |x - y|^2 / l^2), with heavier tails.
using KernelShape = RadialKernel::Kind;
struct Kernel {
  KernelShape shape = KernelShape::rbf;
  double length_scale = 0;  // 0: the median distance between points of the two samples together
};
struct Mmd {
  double squared_unbiased = 0;  // may be negative
  double squared_biased = 0;    // never negative; larger by about 1/n + 1/m
  double standard_error = 0;  // of squared_unbiased, by the jackknife; about 1.4 times too large where p = q
  double length_scale = 0;
};
// Gretton et al. (2012). Time grows with the square of the sizes. At least 2 points each; the standard error
// needs 3, and is NaN otherwise. A length scale from the data makes the unbiased estimate slightly biased.
Mmd mmd(const Points& x, const Points& y, const Kernel& kernel = {});
// The median heuristic: the lower median of the distances between all points of both samples (at most the
// first 1000 of each are taken).
double median_distance(const Points& x, const Points& y);

}  // namespace kullback::stats
