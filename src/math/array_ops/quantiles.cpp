// quantile(x, p): the linear interpolation of order statistics (type 7 of Hyndman & Fan 1996): with h = (n -
// 1) p, (1 - h + floor h) x_(floor h) + (h - floor h) x_(ceil h), counted from zero. A function of data only,
// as in Stan.
#include <algorithm>
#include <cmath>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

Shape quantile_shape(Arguments) { return {}; }

Shape quantiles_shape(Arguments arguments) {
  return arguments[0].shape.size() == 0 ? Shape{1, 1, 0} : arguments[1].shape;  // no samples, no quantiles
}

std::size_t quantile_scratch(Arguments arguments) { return arguments[0].shape.size(); }

void quantile_forward(const ArrayCall& call) {
  check_not_nan("quantile", "p", values(call, 1));
  check_bounded("quantile", "p", values(call, 1), {0, 1});
  check_not_nan("quantile", "samples_vec", values(call, 0));
  const std::size_t n = size(call, 0);
  if (n == 0) {
    return;
  }
  std::copy_n(data(call, 0), n, call.scratch);
  std::sort(call.scratch, call.scratch + n);
  for (std::size_t i = 0; i < size(call, 1); ++i) {
    const double position = static_cast<double>(n - 1) * data(call, 1)[i];
    const double low = std::floor(position);
    const double weight = position - low;
    call.result[i] = (1 - weight) * call.scratch[static_cast<std::size_t>(low)] +
                     weight * call.scratch[static_cast<std::size_t>(std::ceil(position))];
  }
}

// Stan's quantile of no samples is zero.
void quantile_or_zero(const ArrayCall& call) {
  call.result[0] = 0;
  quantile_forward(call);
}

}  // namespace

void append_quantiles_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  for (const Type& x : {kVector, kRowVector, reals}) {
    append(ops, "quantile", {{x, kReal}}, {quantile_shape, quantile_scratch, quantile_or_zero, nullptr});
    append(ops, "quantile", {{x, reals}}, {quantiles_shape, quantile_scratch, quantile_forward, nullptr});
  }
}

}  // namespace kullback::math
