// Functions that densities share, accurate where the textbook formula cancels. All are differentiable, work
// element by element on any device and floating type, and never wait for a GPU.
#pragma once

#include <torch/types.h>

#include <limits>

namespace kullback::dist {

using at::IntArrayRef;
using at::Tensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;
constexpr double kLog2 = 0.69314718055994530942;
constexpr double kLogPi = 1.14472988584940017414;
constexpr double kHalfLog2Pi = 0.91893853320467274178;
constexpr double kEulerGamma = 0.57721566490153286061;

// From here on Stirling's series has the precision of a double.
constexpr double kStirlingStart = 10;

Tensor log1p_less_itself(const Tensor& u);  // log(1 + u) - u
Tensor normal_cdf(const Tensor& z);         // keeps its digits in the lower tail
Tensor stirling_series(const Tensor& x);    // log Gamma(x) less (x - 1/2) log x - x + log(2 pi)/2, x >= 10
Tensor stirling_slope(const Tensor& x);     // its derivative
Tensor log_beta(const Tensor& a, const Tensor& b);
Tensor digamma_half_step(const Tensor& x);  // digamma(x + 1/2) - digamma(x), x above 0

// a log y - y - log Gamma(a) for a >= 10; in the large terms nothing cancels.
Tensor log_gamma_kernel_large(const Tensor& a, const Tensor& y);

Tensor log_i0e(const Tensor& x);            // log(I0(x) exp(-x)), x >= 0
Tensor bessel_complement(const Tensor& x);  // 1 - I1(x) / I0(x)

double tiny(const Tensor& like);     // the smallest normal number of its type
double epsilon(const Tensor& like);  // the distance from 1 to the next number

// Standard noise, of the type and on the device of `like`; strictly above 0 where logarithms follow.
Tensor standard_exponential(IntArrayRef shape, const Tensor& like);
Tensor standard_gumbel(IntArrayRef shape, const Tensor& like);
Tensor standard_logistic(IntArrayRef shape, const Tensor& like);

// A draw that is differentiable by its parameters.
Tensor differentiable_dirichlet(const Tensor& concentration);

Tensor as_type_of(const Tensor& value, const Tensor& like);  // whole numbers and booleans as floating numbers
Tensor where_inside(const Tensor& inside, const Tensor& value);  // value there, minus infinity elsewhere
Tensor infinite_like(const Tensor& like);

}  // namespace kullback::dist
