// Slopes by finite differences, for checks of derivatives.
//   Central differences D(h) = (f(x + h) - f(x - h)) / 2h have the error c h^2 + O(h^4); Richardson's (4 D(h)
//   - D(2h)) / 3 has O(h^4). The rounding error is eps |f| / h, so that the best step grows with |f|^(1/5);
//   where steps disagree the best of them is taken, since a derivative that is right agrees with one of them.
#pragma once

#include <functional>

namespace kullback::model {

// The difference of f at x, of four steps, that is nearest to the slope: rounding spoils small ones where the
// density is ill conditioned (a Gaussian process with little jitter).
double difference_near(const std::function<double(double)>& f, double x, double slope);

// |slope - difference| / (1 + |slope|)
double relative_error(double slope, double difference);

}  // namespace kullback::model
