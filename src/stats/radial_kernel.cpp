//   rbf  f = exp(-s / 2h^2)         f' = -f / 2h^2                      f'' = f / 4h^4
//   imq  f = (1 + s / h^2)^(-1/2)   f' = -(1 + s / h^2)^(-3/2) / 2h^2   f'' = 3 (1 + s / h^2)^(-5/2) / 4h^4
#include "stats/radial_kernel.hpp"

#include <cmath>

namespace kullback::stats {

namespace {

void rbf_values(double rate, std::span<const double> s, double* values, double* slopes) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    values[i] = std::exp(-rate * s[i]);
    slopes[i] = -rate * values[i];
  }
}

void imq_values(double rate, std::span<const double> s, double* values, double* slopes) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double inverse = 1 / (1 + rate * s[i]);
    values[i] = std::sqrt(inverse);
    slopes[i] = -0.5 * rate * inverse * values[i];
  }
}

}  // namespace

RadialDerivatives derivatives(const RadialKernel& kernel, double squared_distance) {
  const double inverse_square = 1 / (kernel.bandwidth * kernel.bandwidth);
  if (kernel.kind == RadialKernel::Kind::rbf) {
    const double rate = 0.5 * inverse_square;
    const double value = std::exp(-rate * squared_distance);
    return {value, -rate * value, rate * rate * value};
  }
  const double inverse = 1 / (1 + inverse_square * squared_distance);
  const double value = std::sqrt(inverse);
  const double first = -0.5 * inverse_square * inverse * value;
  return {value, first, -1.5 * inverse_square * inverse * first};
}

void values_and_slopes(const RadialKernel& kernel, std::span<const double> squared_distances, double* values,
                       double* slopes) {
  const double inverse_square = 1 / (kernel.bandwidth * kernel.bandwidth);
  if (kernel.kind == RadialKernel::Kind::rbf)
    rbf_values(0.5 * inverse_square, squared_distances, values, slopes);
  else
    imq_values(inverse_square, squared_distances, values, slopes);
}

double median_bandwidth(RadialKernel::Kind kind, double median_squared_distance, std::size_t count) {
  if (!(median_squared_distance > 0)) return 1;
  if (kind == RadialKernel::Kind::imq) return std::sqrt(median_squared_distance);
  return std::sqrt(0.5 * median_squared_distance / std::log(static_cast<double>(count) + 1));
}

}  // namespace kullback::stats
