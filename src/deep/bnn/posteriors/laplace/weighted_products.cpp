#include "deep/bnn/posteriors/laplace/curvature.hpp"

namespace kullback::deep {

torch::Tensor weighted_products(const std::vector<torch::Tensor>& slopes, const torch::Tensor& variance) {
  const torch::Tensor all = at::stack(slopes, 2);  // [nets, rows, functions, outputs]
  return (all * variance.unsqueeze(1).unsqueeze(1)).matmul(all.transpose(2, 3));
}

torch::Tensor weighted_products(const LayerSlopes& of, const torch::Tensor& variance) {
  if (of.inputs.size(2) == 1) {
    // Slopes are g a': sum over o of g_m[o] g_k[o] c[o], c[o] = sum over i of a[i]^2 variance[o, i].
    const torch::Tensor sums = of.inputs.squeeze(2).square().matmul(variance.transpose(1, 2));
    const torch::Tensor all = at::stack(of.slopes, 2).squeeze(3);
    return (all * sums.unsqueeze(2)).matmul(all.transpose(2, 3));
  }
  std::vector<torch::Tensor> flat;
  for (std::size_t m = 0; m < of.slopes.size(); ++m) flat.push_back(weight_slopes(of, m).flatten(2));
  return weighted_products(flat, variance.flatten(1));
}

}  // namespace kullback::deep
