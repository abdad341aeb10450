// Approximations of the generalised Gauss-Newton matrix G of all rows, and of the covariance (G + s P)^-1
// with the precisions P of an independent Gaussian prior and a factor s. All are diagonal in some basis in
// which P is 1: `relative` are the eigenvalues of P^-1/2 G P^-1/2.
#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "deep/bnn/bayes_net.hpp"
#include "deep/bnn/posteriors/laplace/row_slopes.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

class Curvature {
 public:
  virtual ~Curvature() = default;

  // Before the first rows.
  virtual void clear() = 0;
  // Adds sum over functions of slope slope' of each row: with the columns of a root of the Hessian to the
  // outputs as functions, G.
  virtual void add(const RowSlopes& rows) = 0;
  // After the last rows. Only then:
  virtual void decompose() = 0;
  virtual torch::Tensor relative() const = 0;  // [nets, covered coordinates]
  // Covariance of the outputs linearised at the mode, [nets, rows, functions, functions]; scale: s, [nets].
  virtual torch::Tensor output_covariance(const RowSlopes& rows, const torch::Tensor& scale) const = 0;
  // N(0, covariance) from standard normal numbers [nets, draws, size]; 0 for coordinates that are not
  // covered.
  virtual torch::Tensor draw(const torch::Tensor& normal, const torch::Tensor& scale) const = 0;
  virtual std::vector<const Affine*> layers() const = 0;  // that are covered, weights and biases
  virtual void visit(const VisitTensor& visit) = 0;
};

struct CurvatureStart {
  const BayesNet& net;
  torch::Tensor precisions;  // of the prior, [size]
  std::int64_t nets = 1;
  torch::TensorOptions options = {};
};

std::unique_ptr<Curvature> diagonal_curvature(const CurvatureStart& start);
std::unique_ptr<Curvature> kronecker_curvature(const CurvatureStart& start);
// Of all layers at once, or of the last only. Throws Error usage where they have too many weights.
std::unique_ptr<Curvature> full_curvature(const CurvatureStart& start);
std::unique_ptr<Curvature> last_layer_curvature(const CurvatureStart& start);

// sum_{o,i} slope_m[o,i] slope_k[o,i] variance[o,i] for the slopes of all functions to a weight, given as
// LayerSlopes; variance [nets, outputs, inputs]. Result [nets, rows, functions, functions].
torch::Tensor weighted_products(const LayerSlopes& of, const torch::Tensor& variance);
// The same of vectors [nets, rows, outputs] of each function; variance [nets, outputs].
torch::Tensor weighted_products(const std::vector<torch::Tensor>& slopes, const torch::Tensor& variance);

}  // namespace kullback::deep
