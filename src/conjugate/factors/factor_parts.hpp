// Parts of q(theta) of factor models: many Gaussians of one dimension, many gammas. The natural parameters
// are what is kept; refresh() computes moments from them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::conjugate {

// Row r is N(mean, covariance) of `dim` numbers. Natural parameters of a row: precision * mean, then the
// lower triangle of -precision with the diagonal halved, so that they go with (w_i, w_i w_j for i >= j).
class GaussianRows final {
 public:
  GaussianRows(std::size_t rows, std::size_t dim);

  std::size_t rows() const { return rows_; }
  std::size_t dim() const { return dim_; }
  std::size_t stride() const { return dim_ + packed_; }
  std::span<double> natural() { return natural_; }
  std::span<const double> natural() const { return natural_; }
  void refresh();
  // Whether all precisions are positive definite.
  static bool inside(std::span<const double> natural, std::size_t dim);

  std::span<const double> mean(std::size_t row) const { return {&mean_[row * dim_], dim_}; }
  // Packed lower triangle.
  std::span<const double> covariance(std::size_t row) const { return {&covariance_[row * packed_], packed_}; }
  double variance(std::size_t row, std::size_t i) const;
  double second(std::size_t row, std::size_t i, std::size_t j) const;  // E w_i w_j, i >= j
  double log_det(std::size_t row) const { return log_det_[row]; }      // of the covariance
  std::vector<double> mean_parameters() const;
  // KL(row of this || row of other).
  double divergence(const GaussianRows& other, std::size_t row) const;
  // Every row becomes the distribution of A w; `inverse` is that of A, dim x dim, row after row.
  void transform(std::span<const double> inverse);

  // Natural parameters of N(mean, precision^-1) where the precision is packed.
  static void set_natural(std::span<double> natural, std::span<const double> mean_times_precision,
                          std::span<const double> precision);

 private:
  std::size_t rows_, dim_, packed_;
  std::vector<double> natural_, mean_, covariance_, log_det_;
};

// Natural parameters of a gamma: shape - 1, -rate; they go with (log x, x).
class Gammas final {
 public:
  explicit Gammas(std::size_t count) : natural_(2 * count), mean_(count), mean_log_(count) {}

  std::size_t count() const { return mean_.size(); }
  std::span<double> natural() { return natural_; }
  std::span<const double> natural() const { return natural_; }
  void set(std::size_t i, double shape, double rate);
  void refresh();
  static bool inside(std::span<const double> natural);

  double shape(std::size_t i) const { return natural_[2 * i] + 1; }
  double rate(std::size_t i) const { return -natural_[2 * i + 1]; }
  double mean(std::size_t i) const { return mean_[i]; }
  double mean_log(std::size_t i) const { return mean_log_[i]; }
  std::vector<double> mean_parameters() const;
  double divergence(const Gammas& other, std::size_t i) const;

 private:
  std::vector<double> natural_, mean_, mean_log_;
};

// b = a s a' for packed s and a dim x dim, row after row.
void congruence(std::span<const double> a, std::span<const double> s, std::span<double> b);

}  // namespace kullback::conjugate
