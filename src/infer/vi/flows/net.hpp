// A net with one hidden layer, y = V tanh(U x + b) + c, on many draws at once. Its parameters are U, b, V, c,
// matrices row after row. Without inputs it is y = c.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"

namespace kullback::infer::flows {

struct NetShape {
  std::size_t inputs = 0;
  std::size_t hidden = 0;
  std::size_t outputs = 0;
};

class Net final {
 public:
  explicit Net(NetShape shape) : shape_(shape) {
    if (shape_.inputs == 0) shape_.hidden = 0;
  }

  std::size_t parameters() const {
    return shape_.hidden * (shape_.inputs + 1) + shape_.outputs * (shape_.hidden + 1);
  }
  // Outputs have standard deviations of about `output_sd` for inputs of standard deviation 1.
  void begin(Random& random, double output_sd, std::span<double> params) const;
  void units(std::span<double> result) const;

  // Keeps the hidden layer for backward().
  void forward(std::span<const double> params, std::size_t lanes, const double* x, double* y);
  // Writes the adjoint of x, and adds to that of the parameters where it is not empty.
  struct Adjoint {
    std::size_t lanes = 0;
    const double* x = nullptr;
    const double* y = nullptr;
    double* result = nullptr;  // null: not wanted
  };
  void backward(std::span<const double> params, const Adjoint& adjoint, std::span<double> params_adjoint);

 private:
  std::size_t hidden_bias() const { return shape_.hidden * shape_.inputs; }
  std::size_t output_weights() const { return hidden_bias() + shape_.hidden; }
  std::size_t output_bias() const { return output_weights() + shape_.outputs * shape_.hidden; }

  NetShape shape_;
  std::vector<double> hidden_;
  std::vector<double> hidden_adjoint_;
};

}  // namespace kullback::infer::flows
