// One invertible map y = f(x) of a flow, with J = dy / dx. All arrays are dim * lanes, lanes innermost, and
// the number of lanes is a multiple of kLaneBlock (infer/vi/flows/kernels.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "base/random.hpp"

namespace kullback::infer::flows {

struct LayerPass {
  std::size_t lanes = 0;
  const double* x = nullptr;
  double* y = nullptr;
  double* log_det = nullptr;  // lanes; log|det J| is added
};

struct LayerAdjoint {
  std::size_t lanes = 0;
  const double* x = nullptr;        // of the forward pass
  const double* y = nullptr;        // adjoint of y
  const double* log_det = nullptr;  // adjoint of log|det J|: lanes
  double* result = nullptr;         // adjoint of x
};

// Slopes of log q on both sides: out = J^-T (in - grad log|det J|), for log q(y) = log q(x) - log|det J|
// (Vaitl, Nicoli, Nakajima and Kessel 2022).
struct LayerSlopes {
  std::size_t lanes = 0;
  const double* x = nullptr;
  const double* in = nullptr;
  double* out = nullptr;
};

class Layer {
 public:
  virtual ~Layer() = default;

  virtual std::size_t parameters() const = 0;
  // Near the identity.
  virtual void begin(Random& random, std::span<double> params) const = 0;
  // As Family::units().
  virtual void units(std::span<const double> params, std::span<double> result) const = 0;

  // Keeps what backward() and push_slopes() need.
  virtual void forward(std::span<const double> params, const LayerPass& pass) = 0;
  // Adds to the adjoint of the parameters.
  virtual void backward(std::span<const double> params, const LayerAdjoint& adjoint,
                        std::span<double> params_adjoint) = 0;
  virtual void push_slopes(std::span<const double> params, const LayerSlopes& slopes) = 0;

  virtual bool has_inverse() const { return true; }
  // x of y; forgets the forward pass. Error internal where there is none.
  virtual void inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x);
};

}  // namespace kullback::infer::flows
