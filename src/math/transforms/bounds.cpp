// Transforms of one number at a time. With free y, lower bound a, upper bound b, logistic s = 1 / (1 +
// exp(-y)):
//   lower:             x = a + exp(y)          log|dx/dy| = y
//   upper:             x = b - exp(y)          log|dx/dy| = y
//   lower_upper:       x = a + (b - a) s       log|dx/dy| = log(b - a) + log s + log(1 - s)
//   offset_multiplier: x = mu + sigma y        log|dx/dy| = log sigma
// An infinite bound is no bound: the transform with the other one, or the identity. The delicate places are
// the tails of the logistic: 1 - s is computed from -y, and log s + log(1 - s) = -|y| - 2 log(1 + exp(-|y|)).
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A bound with fewer numbers than the value begins again at each item.
std::size_t at(const DenseArgument& bound, std::size_t i) {
  const std::size_t size = bound.shape.size();
  return i < size ? i : i % size;
}

double get(const DenseArgument& bound, std::size_t i) { return bound.data[at(bound, i)]; }

class BoundAdjoint final {
 public:
  BoundAdjoint(const TransformCall& call, std::size_t which)
      : bound_(call.bounds[which]),
        adjoint_(which < call.bound_adjoints.size() ? call.bound_adjoints[which] : nullptr) {}

  void add(std::size_t i, double amount) const {
    if (adjoint_ != nullptr) adjoint_[at(bound_, i)] += amount;
  }

 private:
  const DenseArgument& bound_;
  double* adjoint_;
};

std::size_t all(Shape item) { return item.size(); }
std::size_t twice(Shape item) { return 2 * item.size(); }

// Describes the first number that is wrong and counts the others.
template <class IsWrong, class Describe>
std::optional<Violation> check_each(const ConstrainedValue& value, IsWrong is_wrong,
                                    Describe describe_wrong) {
  std::optional<Violation> first;
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    if (!is_wrong(i, value.value[i])) continue;
    if (first) {
      ++first->count;
    } else {
      first = describe_wrong(i, value.value[i]);
    }
  }
  return first;
}

// False for NaN too, so that NaN is outside all bounds.
bool above(double x, double lower) { return x >= lower; }
bool below(double x, double upper) { return x <= upper; }

Violation too_small(std::size_t i, double x, double lower) {
  return wrong_number(i, 0, x, "must be at least " + number_text(lower), lower - x);
}

Violation too_large(std::size_t i, double x, double upper) {
  return wrong_number(i, 0, x, "must be at most " + number_text(upper), x - upper);
}

// ---- identity ----
void identity_forward(const TransformCall& call) { std::copy_n(call.free, call.shape.size(), call.value); }

void identity_backward(const TransformCall& call) {
  for (std::size_t i = 0; i < call.shape.size(); ++i) call.free_adjoint[i] += call.value_adjoint[i];
}

std::optional<Violation> identity_unconstrain(const ConstrainedValue& value, double* free) {
  std::copy_n(value.value, value.shape.size(), free);
  return {};
}

std::optional<Violation> accept(const ConstrainedValue&) { return {}; }

// ---- lower, upper: x = bound + sign * exp(y); scratch keeps exp(y) ----
template <int sign>
bool is_bound(double bound) {
  return bound != -sign * kInfinity;
}

template <int sign>
void one_sided_forward(const TransformCall& call) {
  for (std::size_t i = 0; i < call.shape.size(); ++i) {
    const double y = call.free[i];
    const double bound = get(call.bounds[0], i);
    if (is_bound<sign>(bound)) {
      call.scratch[i] = std::exp(y);
      call.value[i] = bound + sign * call.scratch[i];
      *call.log_jacobian += y;
    } else {
      call.value[i] = y;
    }
  }
}

template <int sign>
void one_sided_backward(const TransformCall& call) {
  const BoundAdjoint bound_adjoint(call, 0);
  for (std::size_t i = 0; i < call.shape.size(); ++i) {
    const double adjoint = call.value_adjoint[i];
    if (is_bound<sign>(get(call.bounds[0], i))) {
      call.free_adjoint[i] += sign * adjoint * call.scratch[i] + call.log_jacobian_adjoint;
      bound_adjoint.add(i, adjoint);
    } else {
      call.free_adjoint[i] += adjoint;
    }
  }
}

template <int sign>
std::optional<Violation> one_sided_unconstrain(const ConstrainedValue& value, double* free) {
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    const double bound = get(value.bounds[0], i);
    free[i] = is_bound<sign>(bound) ? std::log(sign * (value.value[i] - bound)) : value.value[i];
  }
  return {};
}

std::optional<Violation> lower_check(const ConstrainedValue& value) {
  const DenseArgument& bound = value.bounds[0];
  return check_each(
      value, [&](std::size_t i, double x) { return !above(x, get(bound, i)); },
      [&](std::size_t i, double x) { return too_small(i, x, get(bound, i)); });
}

std::optional<Violation> upper_check(const ConstrainedValue& value) {
  const DenseArgument& bound = value.bounds[0];
  return check_each(
      value, [&](std::size_t i, double x) { return !below(x, get(bound, i)); },
      [&](std::size_t i, double x) { return too_large(i, x, get(bound, i)); });
}

// ---- lower_upper: scratch keeps s and 1 - s, or exp(y) where one bound is infinite ----
void require_room(double lower, double upper) {
  if (lower < upper) return;
  throw std::domain_error("the lower bound is " + number_text(lower) +
                          ", but must be less than the upper bound, " + number_text(upper));
}

void lower_upper_forward(const TransformCall& call) {
  const std::size_t size = call.shape.size();
  for (std::size_t i = 0; i < size; ++i) {
    const double y = call.free[i];
    const double lower = get(call.bounds[0], i);
    const double upper = get(call.bounds[1], i);
    const bool has_lower = is_bound<1>(lower);
    const bool has_upper = is_bound<-1>(upper);
    if (has_lower && has_upper) {
      require_room(lower, upper);
      const double small = std::exp(-std::abs(y));
      const double rest = 1 / (1 + small);
      call.scratch[i] = y > 0 ? rest : small * rest;
      call.scratch[size + i] = y > 0 ? small * rest : rest;
      call.value[i] = (upper - lower) * call.scratch[i] + lower;
      *call.log_jacobian += std::log(upper - lower) - std::abs(y) - 2 * std::log1p(small);
    } else if (has_lower || has_upper) {
      call.scratch[i] = std::exp(y);
      call.value[i] = has_lower ? lower + call.scratch[i] : upper - call.scratch[i];
      *call.log_jacobian += y;
    } else {
      call.value[i] = y;
    }
  }
}

void lower_upper_backward(const TransformCall& call) {
  const std::size_t size = call.shape.size();
  const BoundAdjoint lower_adjoint(call, 0);
  const BoundAdjoint upper_adjoint(call, 1);
  const double of_jacobian = call.log_jacobian_adjoint;
  for (std::size_t i = 0; i < size; ++i) {
    const double adjoint = call.value_adjoint[i];
    const double lower = get(call.bounds[0], i);
    const double upper = get(call.bounds[1], i);
    const bool has_lower = is_bound<1>(lower);
    const bool has_upper = is_bound<-1>(upper);
    if (has_lower && has_upper) {
      const double s = call.scratch[i];
      const double rest = call.scratch[size + i];
      const double width = upper - lower;
      call.free_adjoint[i] += adjoint * width * s * rest + of_jacobian * (rest - s);
      lower_adjoint.add(i, adjoint * rest - of_jacobian / width);
      upper_adjoint.add(i, adjoint * s + of_jacobian / width);
    } else if (has_lower || has_upper) {
      call.free_adjoint[i] += (has_lower ? adjoint : -adjoint) * call.scratch[i] + of_jacobian;
      (has_lower ? lower_adjoint : upper_adjoint).add(i, adjoint);
    } else {
      call.free_adjoint[i] += adjoint;
    }
  }
}

std::optional<Violation> lower_upper_check(const ConstrainedValue& value) {
  const DenseArgument& lower = value.bounds[0];
  const DenseArgument& upper = value.bounds[1];
  return check_each(
      value, [&](std::size_t i, double x) { return !above(x, get(lower, i)) || !below(x, get(upper, i)); },
      [&](std::size_t i, double x) {
        return above(x, get(lower, i)) ? too_large(i, x, get(upper, i)) : too_small(i, x, get(lower, i));
      });
}

std::optional<Violation> lower_upper_unconstrain(const ConstrainedValue& value, double* free) {
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    const double x = value.value[i];
    const double lower = get(value.bounds[0], i);
    const double upper = get(value.bounds[1], i);
    const bool has_lower = is_bound<1>(lower);
    const bool has_upper = is_bound<-1>(upper);
    if (has_lower && has_upper) {
      if (!(lower < upper)) {
        return wrong_number(
            i, 0, x, "no number is between the bounds " + number_text(lower) + " and " + number_text(upper),
            lower - upper);
      }
      free[i] = std::log((x - lower) / (upper - x));
    } else if (has_lower || has_upper) {
      free[i] = std::log(has_lower ? x - lower : upper - x);
    } else {
      free[i] = x;
    }
  }
  return {};
}

// ---- offset_multiplier ----
void require_scale(double offset, double multiplier) {
  if (!std::isfinite(offset)) {
    throw std::domain_error("the offset is " + number_text(offset) + ", but must be finite");
  }
  if (!(multiplier > 0) || !std::isfinite(multiplier)) {
    throw std::domain_error("the multiplier is " + number_text(multiplier) +
                            ", but must be positive and finite");
  }
}

void offset_multiplier_forward(const TransformCall& call) {
  for (std::size_t i = 0; i < call.shape.size(); ++i) {
    const double offset = get(call.bounds[0], i);
    const double multiplier = get(call.bounds[1], i);
    require_scale(offset, multiplier);
    call.value[i] = std::fma(multiplier, call.free[i], offset);
    *call.log_jacobian += std::log(multiplier);
  }
}

void offset_multiplier_backward(const TransformCall& call) {
  const BoundAdjoint offset_adjoint(call, 0);
  const BoundAdjoint multiplier_adjoint(call, 1);
  for (std::size_t i = 0; i < call.shape.size(); ++i) {
    const double multiplier = get(call.bounds[1], i);
    const double adjoint = call.value_adjoint[i];
    call.free_adjoint[i] += adjoint * multiplier;
    offset_adjoint.add(i, adjoint);
    multiplier_adjoint.add(i, adjoint * call.free[i] + call.log_jacobian_adjoint / multiplier);
  }
}

std::optional<Violation> offset_multiplier_unconstrain(const ConstrainedValue& value, double* free) {
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    const double offset = get(value.bounds[0], i);
    const double multiplier = get(value.bounds[1], i);
    if (!std::isfinite(offset) || !(multiplier > 0) || !std::isfinite(multiplier)) {
      return wrong_number(i, 0, value.value[i],
                          "its offset is " + number_text(offset) + " and its multiplier " +
                              number_text(multiplier) + "; they must be finite and positive",
                          std::nan(""));
    }
    free[i] = (value.value[i] - offset) / multiplier;
  }
  return {};
}

constexpr std::string_view kLower[] = {"lower"};
constexpr std::string_view kUpper[] = {"upper"};
constexpr std::string_view kLowerUpper[] = {"lower", "upper"};
constexpr std::string_view kOffsetMultiplier[] = {"offset", "multiplier"};

}  // namespace

const TransformDef identity_transform = {
    .name = "identity",
    .doc = "any number",
    .elementwise = true,
    .free_size = all,
    .forward = identity_forward,
    .backward = identity_backward,
    .unconstrain = identity_unconstrain,
    .check = accept,
};

const TransformDef lower_transform = {
    .name = "lower",
    .doc = "numbers of at least a lower bound",
    .bound_names = kLower,
    .elementwise = true,
    .free_size = all,
    .scratch_size = all,
    .forward = one_sided_forward<1>,
    .backward = one_sided_backward<1>,
    .unconstrain = one_sided_unconstrain<1>,
    .check = lower_check,
};

const TransformDef upper_transform = {
    .name = "upper",
    .doc = "numbers of at most an upper bound",
    .bound_names = kUpper,
    .elementwise = true,
    .free_size = all,
    .scratch_size = all,
    .forward = one_sided_forward<-1>,
    .backward = one_sided_backward<-1>,
    .unconstrain = one_sided_unconstrain<-1>,
    .check = upper_check,
};

const TransformDef lower_upper_transform = {
    .name = "lower_upper",
    .doc = "numbers between two bounds",
    .bound_names = kLowerUpper,
    .elementwise = true,
    .free_size = all,
    .scratch_size = twice,
    .forward = lower_upper_forward,
    .backward = lower_upper_backward,
    .unconstrain = lower_upper_unconstrain,
    .check = lower_upper_check,
};

const TransformDef offset_multiplier_transform = {
    .name = "offset_multiplier",
    .doc = "any number, shifted and scaled",
    .bound_names = kOffsetMultiplier,
    .elementwise = true,
    .free_size = all,
    .forward = offset_multiplier_forward,
    .backward = offset_multiplier_backward,
    .unconstrain = offset_multiplier_unconstrain,
    .check = accept,
};

}  // namespace kullback::math::transforms
