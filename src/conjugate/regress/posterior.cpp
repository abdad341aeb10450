#include "conjugate/regress/posterior.hpp"

namespace kullback::conjugate::regress {

double residual_squares(const Likelihood& data, std::span<const double> mean) {
  double sum = data.squares;
  for (std::size_t i = 0, at = 0; i < mean.size(); ++i) {
    double row = -2 * data.moments[i];
    for (std::size_t j = 0; j < i; ++j, ++at) row += 2 * data.gram[at] * mean[j];
    row += data.gram[at++] * mean[i];
    sum += row * mean[i];
  }
  return sum;
}

double squared_scale(const Spread& spread, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0, at = 0; i < x.size(); ++i) {
    double row = 0;
    if (spread.is_diagonal) {
      row = spread.factor[i] * x[i];
    } else {
      for (std::size_t j = 0; j <= i; ++j, ++at) row += spread.factor[at] * x[j];
    }
    sum += row * row;
  }
  return sum;
}

}  // namespace kullback::conjugate::regress
