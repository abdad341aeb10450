// Coupling layers: the coordinates of one set stay, those of the other go through an increasing function
// whose parameters a net computes from the first set. J is triangular by blocks: log|det J| is the sum of log
// g', the inverse is as cheap as the layer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "infer/vi/flows/flow.hpp"
#include "infer/vi/flows/net.hpp"
#include "infer/vi/flows/transformer.hpp"

namespace kullback::infer::flows {

class Coupling final : public Layer {
 public:
  // `moves`: which coordinates go through the transformer.
  Coupling(std::vector<bool> moves, std::size_t hidden, std::unique_ptr<Transformer> transformer);

  std::size_t parameters() const override { return net_.parameters(); }
  void begin(Random& random, std::span<double> params) const override;
  void units(std::span<const double> params, std::span<double> result) const override;
  void forward(std::span<const double> params, const LayerPass& pass) override;
  void backward(std::span<const double> params, const LayerAdjoint& adjoint,
                std::span<double> params_adjoint) override;
  void push_slopes(std::span<const double> params, const LayerSlopes& slopes) override;
  void inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x) override;

 private:
  void gather_fixed(std::size_t lanes, const double* from);
  void run_net(std::span<const double> params, std::size_t lanes, const double* x);
  void of_transformer(std::size_t lanes, const double* x, std::size_t b, const double* y_adjoint);

  std::vector<std::size_t> fixed_;
  std::vector<std::size_t> moved_;
  std::unique_ptr<Transformer> transformer_;
  Net net_;
  std::vector<double> inputs_;
  std::vector<double> c_;
  std::vector<double> c_adjoint_;
  std::vector<double> inputs_adjoint_;
  std::vector<double> slope_;
  std::vector<double> curve_;
  std::vector<double> kept_;
  std::vector<double> log_det_adjoint_;
};

// Which coordinates move in each layer: the even, the odd, the first half, the second half, and so on.
std::vector<std::vector<bool>> moves_of_layers(std::size_t dim, std::size_t layers);

}  // namespace kullback::infer::flows
