// The Gaussian factors of expectation propagation: one for each group of terms that depend on the same
// directions, and one product of all quadratic terms, which is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "infer/archive.hpp"
#include "infer/ep/gaussian.hpp"
#include "infer/ep/scaled_terms.hpp"
#include "infer/ep/term_shapes.hpp"

namespace kullback::infer {

// Stands for the product of its terms by exp(shift' u - u' precision u / 2), u = basis x.
struct Site {
  std::vector<std::uint32_t> terms;
  std::vector<std::uint32_t> coordinates;  // x are these
  std::size_t rank = 0;
  std::vector<double> basis;  // rank * coordinates, row after row
  NaturalGaussian natural;
};

// A site as seen from the joint Gaussian: v = root^-1 (u - center) is standard normal.
struct SiteView {
  std::vector<double> center;  // rank
  std::vector<double> root;    // rank * rank, lower triangular, column after column
  std::vector<double> whiten;  // v = whiten (x - mean): rank * coordinates, column after column
  NaturalGaussian natural;     // the site's own, as a function of v
  double constant = 0;         // log site = constant + shift' v - v' precision v / 2
  double least_cavity = 0;     // smallest eigenvalue of the cavity's precision, by power
};

struct Sites {
  std::vector<Site> all;
  NaturalGaussian fixed;  // the product of the quadratic terms
  double constant = 0;    // of it

  NaturalGaussian product() const;  // of all: the joint approximation
  void archive(Archive& archive);   // of the sites' natural parameters
};

Sites make_sites(const ScaledTerms& terms, const std::vector<TermShape>& shapes);

// `power`: that part of the site is taken away for the cavity.
SiteView view(const Site& site, const JointGaussian& joint, double power);

// A Gaussian factor in v as one in u.
NaturalGaussian in_directions(const NaturalGaussian& of_v, const SiteView& view);

}  // namespace kullback::infer
