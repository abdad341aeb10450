// Integrals over the points of a frame, as sums that grow point by point.
#pragma once

#include <cstddef>
#include <vector>

#include "infer/ep/sites.hpp"

namespace kullback::infer {

struct Moments {
  double log_mass = 0;             // log of the mean of the ratio under the joint Gaussian
  std::vector<double> mean;        // rank
  std::vector<double> covariance;  // rank * rank
  double edge = 0;                 // share of the mass near the end of a lattice
  double effective = 0;            // 1 / sum of squared weights
};

// Moments in v of (joint Gaussian) * (terms / site)^power.
class TiltedSums final {
 public:
  TiltedSums(const SiteView& view, std::size_t rank, bool is_lattice, double power);

  // `v`: rank numbers for each of `count` points, `log_terms`: the terms' sum at them.
  void add(const double* v, const double* log_terms, std::size_t count);
  Moments moments() const;

 private:
  const SiteView* view_;
  std::size_t rank_;
  bool is_lattice_;
  double power_;
  double reach_ = 0;
  double largest_;   // log weight: the sums are relative to it
  double base_ = 0;  // sum of the weights of the joint Gaussian alone
  double sum_ = 0;
  double squares_ = 0;
  double edge_ = 0;
  std::vector<double> first_;
  std::vector<double> second_;
};

// The quadratic function of v nearest to the terms in the mean square under the joint Gaussian:
//   h = E[f v], M = E[f (v v' - 1)],
// which are the expected gradient and Hessian of f (Stein's identity).
class QuadraticFit final {
 public:
  QuadraticFit(std::size_t rank, bool is_lattice);

  void add(const double* v, const double* log_terms, std::size_t count);
  NaturalGaussian result() const;  // precision -M, shift h

 private:
  std::size_t rank_;
  bool is_lattice_;
  double base_ = 0;
  double sum_ = 0;
  std::vector<double> first_;
  std::vector<double> second_;
};

}  // namespace kullback::infer
