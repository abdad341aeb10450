// The last map of a flow: theta = m + L x, L lower triangular with a positive diagonal, or diagonal. Its
// parameters are m, the log diagonal of L, and what is below the diagonal, row after row.
#pragma once

#include <vector>

#include "infer/vi/family.hpp"
#include "infer/vi/flows/layer.hpp"

namespace kullback::infer::flows {

class Affine final : public Layer {
 public:
  explicit Affine(std::size_t dim);

  std::size_t parameters() const override { return 2 * dim_ + (is_dense_ ? dim_ * (dim_ - 1) / 2 : 0); }
  void begin(Random& random, std::span<double> params) const override;
  void begin_at(const GaussianGuess& guess, std::span<double> params) const;
  void units(std::span<const double> params, std::span<double> result) const override;
  void forward(std::span<const double> params, const LayerPass& pass) override;
  void backward(std::span<const double> params, const LayerAdjoint& adjoint,
                std::span<double> params_adjoint) override;
  void push_slopes(std::span<const double> params, const LayerSlopes& slopes) override;
  void inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x) override;

 private:
  // Row i of L below the diagonal: i numbers, or none.
  std::size_t row(std::size_t i) const { return 2 * dim_ + i * (i - 1) / 2; }
  std::size_t row_length(std::size_t i) const { return is_dense_ ? i : 0; }

  std::size_t dim_;
  bool is_dense_;
  std::vector<double> sums_;
};

}  // namespace kullback::infer::flows
