// Derivatives of a network's outputs to its weights, row by row and without a loop over rows: those of an
// affine layer z = W a + b are outer products of the derivative to z and of a. A convolution is such a layer
// at each of its places, whose outer products are summed.
#pragma once

#include <torch/types.h>

#include <vector>

#include "deep/net/net.hpp"

namespace kullback::deep {

struct LayerSlopes {
  const Affine* layer = nullptr;
  torch::Tensor inputs;               // [nets, rows, places, inputs], patches of a convolution
  std::vector<torch::Tensor> slopes;  // of each function: [nets, rows, places, outputs]
};

struct RowSlopes {
  std::vector<LayerSlopes> layers;
  torch::Tensor outputs;  // [nets, rows, outputs]
};

class RecordedForward final {
 public:
  // flat [nets, size]. Throws Error usage for a net with layers that have no such form.
  RecordedForward(const Layout& layout, const Net& net, const torch::Tensor& flat, const torch::Tensor& x);

  const torch::Tensor& outputs() const { return outputs_; }
  // Of the functions sum_k outputs_k * columns[k, m] for each m; columns [nets, rows, outputs, functions].
  RowSlopes slopes_of(const torch::Tensor& columns) const;
  // Of the outputs themselves.
  RowSlopes jacobian() const;

 private:
  class Rule;
  std::vector<LayerSlopes> layers_;
  std::vector<torch::Tensor> shifts_;  // zeros that are added to z, of which derivatives are taken
  torch::Tensor outputs_;
};

// A column matrix R with R R' = matrix, for positive semidefinite matrices [..., n, n].
torch::Tensor square_root(const torch::Tensor& matrix);
// Derivatives to the weight of function m, [nets, rows, outputs, inputs], and to the bias, [nets, rows,
// outputs].
torch::Tensor weight_slopes(const LayerSlopes& of, std::size_t function);
torch::Tensor bias_slopes(const LayerSlopes& of, std::size_t function);

}  // namespace kullback::deep
