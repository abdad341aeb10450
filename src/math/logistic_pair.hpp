// log inv_logit(x) and inv_logit(-x) together, without branches: what a logistic likelihood and its slope
// need.
//
// With e = exp(-|x|) and r = e / (2 + e) <= 1/3, log(1 + e) = 2 atanh(r) = 2 r + r^3 P(r^2); P interpolates
// at Chebyshev points with relative error 1e-17. r and 1 / (1 + e) come from one division. Within 4 ulp; no
// cancellation anywhere.
#pragma once

#include "math/vector_math.hpp"

namespace kullback::math {

struct LogisticPair {
  double log_probability;  // log inv_logit(x)
  double complement;       // inv_logit(-x)
};

// The same for x and its mirror, where both logarithms or both probabilities are wanted.
struct LogisticParts {
  double log1p;        // log(1 + e^-|x|)
  double probability;  // inv_logit(x)
  double complement;   // inv_logit(-x)
};

// exp(-|x|), zero where it is denormal. Loops over many x are near twice as fast in two passes, this one and
// the rest: each chain of dependent operations is half as long, so that more of them are under way at once.
KULLBACK_INLINE double logistic_exp(double x) {
  const double magnitude = fast::abs(x);
  return magnitude > 708.0 ? 0.0 : fast::exp_bounded(-magnitude);
}

// e = logistic_exp(x).
KULLBACK_INLINE LogisticParts logistic_parts(double x, double e) {
  const double low = 1.0 + e;
  const double high = 2.0 + e;
  const double inverse = 1.0 / (low * high);
  const double r = e * low * inverse;
  const double reciprocal = high * inverse;  // 1 / (1 + e)
  const double z = r * r;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double p01 = 0x1.5555555555555p-1 + z * 0x1.999999999a3ddp-2;
  const double p23 = 0x1.24924923d44c6p-2 + z * 0x1.c71c727143318p-3;
  const double p45 = 0x1.745cf0b0e03bdp-3 + z * 0x1.3b18b294bebf9p-3;
  const double p67 = 0x1.10ac75dc602b1p-3 + z * 0x1.eb905e8575054p-4;
  const double p89 = 0x1.687a6e7c95176p-4 + z * 0x1.4b0a26c5f2aefp-3;
  const double p = (p01 + z2 * p23) + z4 * ((p45 + z2 * p67) + z4 * p89);
  const double small = e * reciprocal;
  const bool is_negative = x < 0.0;
  return {2.0 * r + r * z * p, is_negative ? small : reciprocal, is_negative ? reciprocal : small};
}

KULLBACK_INLINE LogisticParts logistic_parts(double x) { return logistic_parts(x, logistic_exp(x)); }

KULLBACK_INLINE LogisticPair logistic_pair(double x, double e) {
  const LogisticParts parts = logistic_parts(x, e);
  return {fast::at_most(x, 0.0) - parts.log1p, parts.complement};
}
KULLBACK_INLINE LogisticPair logistic_pair(double x) { return logistic_pair(x, logistic_exp(x)); }

}  // namespace kullback::math
