// What quasi-Newton methods remember of a path: the last steps s and changes y of the gradient of the
// negative log density, which stand for its Hessian by y = H s.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "infer/archive.hpp"

namespace kullback::infer {

class CurvaturePairs final {
 public:
  CurvaturePairs(std::size_t dim, std::size_t history) : dim_(dim), history_(history) {}

  // Forgets the oldest pair where there are more than `history`. False, and nothing is remembered, where the
  // curvature along s is not positive, or cannot be told from 0.
  bool push(std::span<const double> s, std::span<const double> y);
  void clear();

  std::size_t count() const { return s_.size() / (dim_ > 0 ? dim_ : 1); }
  // Pair k, the oldest first.
  std::span<const double> s(std::size_t k) const { return {s_.data() + k * dim_, dim_}; }
  std::span<const double> y(std::size_t k) const { return {y_.data() + k * dim_, dim_}; }

  // The inverse of the remembered Hessian times v; without pairs: v.
  std::vector<double> inverse_times(std::span<const double> v) const;

  void archive(Archive& archive);

 private:
  std::size_t dim_;
  std::size_t history_;
  std::vector<double> s_;  // pair after pair
  std::vector<double> y_;
};

double dot(std::span<const double> a, std::span<const double> b);
double norm(std::span<const double> v);  // without overflow

}  // namespace kullback::infer
