// Logarithms of gamma variables as differentiable functions of their shape: what gamma, beta and Dirichlet
// factors are made of.
#pragma once

namespace kullback::infer {

// v = log G, G ~ gamma(shape, 1), as an increasing function of a standard normal number.
double log_gamma_draw(double shape, double normal);
// d v / d shape at a fixed normal number.
double log_gamma_slope(double shape, double v);

struct RejectionSlope {
  double draw = 0;        // d v / d shape at fixed noise of the rejection sampler
  double correction = 0;  // d/d shape of the log density of the accepted noise
};
// Of Marsaglia and Tsang's sampler, its noise recovered from v; shape >= 1.
RejectionSlope log_gamma_rejection(double shape, double v);

}  // namespace kullback::infer
