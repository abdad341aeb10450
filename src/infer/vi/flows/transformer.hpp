// Increasing functions y = g(x; c) of one coordinate, whose parameters c are other numbers in each lane: what
// a coupling layer does to a coordinate. Arrays hold `lanes` numbers, those of c count() * lanes.
#pragma once

#include <cstddef>
#include <memory>

namespace kullback::infer::flows {

struct TransformerPass {
  std::size_t lanes = 0;
  const double* x = nullptr;
  const double* c = nullptr;
  double* y = nullptr;
  double* log_slope = nullptr;  // log g' is added
  double* slope = nullptr;      // g'
  double* curve = nullptr;      // d log g' / dx
  double* kept = nullptr;       // kept() * lanes, for backward()
};

struct TransformerAdjoint {
  std::size_t lanes = 0;
  const double* x = nullptr;
  const double* c = nullptr;
  const double* kept = nullptr;
  const double* y = nullptr;          // adjoint of y
  const double* log_slope = nullptr;  // adjoint of log g'
  double* result = nullptr;           // adjoint of c
};

class Transformer {
 public:
  virtual ~Transformer() = default;

  virtual std::size_t count() const = 0;
  virtual std::size_t kept() const = 0;
  virtual void forward(const TransformerPass& pass) const = 0;
  virtual void backward(const TransformerAdjoint& adjoint) const = 0;
  virtual void inverse(std::size_t lanes, const double* y, const double* c, double* x) const = 0;
};

// The identity where c = 0, both.
std::unique_ptr<Transformer> make_scale_shift();
std::unique_ptr<Transformer> make_spline(std::size_t bins);

}  // namespace kullback::infer::flows
