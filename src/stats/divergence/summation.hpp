// Inside stats/divergence: divergences of distributions on 0, 1, 2... as sums.
#pragma once

#include <functional>

#include "stats/divergence/element.hpp"
#include "stats/divergence/families.hpp"

namespace kullback::stats {

// Sum of element(p(k), q(k)).
using Element = std::function<double(const LogPair&)>;
double sum_over(const Discrete& p, const Discrete& q, const Element& element);
// Over all k within 40 standard deviations (and 100) of one of the means: what is left is below 1e-300.
double sum_over(const Poisson& p, const Poisson& q, const Element& element);

// -log(int p q / sqrt(int p^2 int q^2)), where the sum over p q is exp(-a - b) I0(2 sqrt(a b)).
double poisson_cauchy_schwarz(const Poisson& p, const Poisson& q);

}  // namespace kullback::stats
