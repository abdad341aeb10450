// log(exp(x_1) + ... + exp(x_n)) for many elements and lanes at once, each x_j an operand like an elementwise
// function's.
#pragma once

#include <cstddef>

#include "math/operand.hpp"

namespace kullback::tape {

struct LogSumExpCall {
  std::size_t n = 0;
  std::size_t count = 0;
  std::size_t lanes = 1;
  const math::Operand* operands = nullptr;
  double* result = nullptr;  // count * lanes
  double* shares = nullptr;  // n * count * lanes: forward writes the derivatives exp(x_j - result)
  const double* result_adjoint = nullptr;
};

void log_sum_exp_forward(const LogSumExpCall& call);
void log_sum_exp_backward(const LogSumExpCall& call);

}  // namespace kullback::tape
