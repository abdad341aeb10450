// Kernels that are functions of a squared distance, k(x, y) = f(|x - y|^2), with the derivatives that Stein's
// operator takes of them.
#pragma once

#include <cstddef>
#include <span>

namespace kullback::stats {

struct RadialKernel {
  enum class Kind : unsigned char {
    rbf,  // exp(-s / (2 h^2))
    imq,  // (1 + s / h^2)^(-1/2)
  };
  Kind kind = Kind::imq;
  double bandwidth = 1;  // h > 0
};

// f and its first two derivatives in s.
struct RadialDerivatives {
  double value = 0;
  double first = 0;
  double second = 0;
};

RadialDerivatives derivatives(const RadialKernel& kernel, double squared_distance);

// f and f' of many squared distances at once.
void values_and_slopes(const RadialKernel& kernel, std::span<const double> squared_distances, double* values,
                       double* slopes);

// The bandwidth of the median heuristic for `count` points whose median squared distance this is:
//   rbf  h^2 = median / (2 log(count + 1)): the other points have, together, about the weight of a point for
//        itself (Liu and Wang 2016);
//   imq  h^2 = median (Shi, Liu, Mackey 2022).
// 1 where the median is 0.
double median_bandwidth(RadialKernel::Kind kind, double median_squared_distance, std::size_t count);

}  // namespace kullback::stats
