// An inverse autoregressive layer: y_i = x_i exp(s_i) + t_i, where s_i and t_i are functions of x_1 ..
// x_{i-1} by one masked net with a hidden layer, and |s_i| < 3.
#pragma once

#include <vector>

#include "infer/vi/flows/layer.hpp"

namespace kullback::infer::flows {

class Autoregressive final : public Layer {
 public:
  // Reversed: from the last coordinate to the first.
  Autoregressive(std::size_t dim, std::size_t hidden, bool is_reversed);

  std::size_t parameters() const override { return parameters_; }
  void begin(Random& random, std::span<double> params) const override;
  void units(std::span<const double> params, std::span<double> result) const override;
  void forward(std::span<const double> params, const LayerPass& pass) override;
  void backward(std::span<const double> params, const LayerAdjoint& adjoint,
                std::span<double> params_adjoint) override;
  void push_slopes(std::span<const double> params, const LayerSlopes& slopes) override;
  void inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x) override;

 private:
  // At a position of the order: the two outputs, from the hidden units that see only what comes before it;
  // then the units that see it last.
  struct Place {
    std::size_t coordinate = 0;
    std::size_t units_before = 0;  // hidden units that see only earlier positions
    std::size_t units_after = 0;   // the same with this position
    std::size_t outputs = 0;       // where its 2 * units_before weights and 2 biases begin
    std::size_t inputs =
        0;  // where the (units_after - units_before) * (position + 1) weights and biases begin
    std::size_t output_bias() const { return outputs + 2 * units_before; }
    std::size_t input_bias(std::size_t position) const {
      return inputs + (units_after - units_before) * (position + 1);
    }
  };

  void set_lanes(std::size_t lanes);
  void outputs_at(std::span<const double> params, std::size_t position);
  void units_at(std::span<const double> params, std::size_t position);
  void begin_adjoints();
  void units_back(std::span<const double> params, std::size_t position, std::span<double> params_adjoint);
  void outputs_back(std::span<const double> params, std::size_t position, std::span<double> params_adjoint);

  std::size_t dim_;
  std::size_t parameters_ = 0;
  std::vector<Place> places_;
  std::size_t lanes_ = 0;
  std::vector<double> x_;  // in the order of positions
  std::vector<double> hidden_;
  std::vector<double> shift_;      // t: dim * lanes
  std::vector<double> scale_;      // exp(s)
  std::vector<double> log_scale_;  // s
  std::vector<double> out_;        // 2 * lanes, of one position
  std::vector<double> x_adjoint_;
  std::vector<double> hidden_adjoint_;
};

}  // namespace kullback::infer::flows
