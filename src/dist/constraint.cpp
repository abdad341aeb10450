#include "dist/constraint.hpp"

#include <utility>

namespace kullback::dist {

namespace {

using Kind = Constraint::Kind;

int64_t own_event_dim(Kind kind) {
  switch (kind) {
    case Kind::simplex:
    case Kind::one_hot: return 1;
    case Kind::lower_cholesky:
    case Kind::positive_definite: return 2;
    default: return 0;
  }
}

Tensor is_whole(const Tensor& value) {
  return at::isIntegralType(value.scalar_type(), true) ? at::ones_like(value, at::kBool)
                                                       : at::eq(value, value.floor());
}

// Sums of probabilities are rounded: what a softmax in this precision gives must pass.
double sum_tolerance(const Tensor& value) {
  switch (value.scalar_type()) {
    case at::kDouble: return 1e-8;
    case at::kFloat: return 1e-5;
    default: return 1e-2;
  }
}

Tensor is_simplex(const Tensor& value) {
  const auto sums = value.sum(-1);
  return at::logical_and(value.ge(0).all(-1), (sums - 1).abs().le(sum_tolerance(value)));
}

Tensor is_one_hot(const Tensor& value) {
  return at::logical_and(at::logical_or(value.eq(0), value.eq(1)).all(-1), value.sum(-1).eq(1));
}

Tensor is_lower_cholesky(const Tensor& value) {
  const auto triangular = at::eq(value.tril(), value).flatten(-2).all(-1);
  return at::logical_and(triangular, value.diagonal(0, -2, -1).gt(0).all(-1));
}

Tensor is_positive_definite(const Tensor& value) {
  const auto scale = value.abs().amax({-2, -1}, true);
  const auto symmetric = (value - value.mT()).abs().le(scale * 1e-6).flatten(-2).all(-1);
  const auto info = std::get<1>(at::linalg_cholesky_ex(value.detach()));
  return at::logical_and(symmetric, info.eq(0));
}

}  // namespace

Constraint Constraint::independent(int64_t dims) const {
  Constraint result = *this;
  result.extra_dims_ += dims;
  return result;
}

int64_t Constraint::event_dim() const { return own_event_dim(kind_) + extra_dims_; }

bool Constraint::is_discrete() const {
  return kind_ == Kind::boolean || kind_ == Kind::nonnegative_integer || kind_ == Kind::integer_below ||
         kind_ == Kind::one_hot;
}

std::string Constraint::name() const {
  if (!given_name_.empty()) return given_name_;
  switch (kind_) {
    case Kind::real: return "a number";
    case Kind::finite: return "a finite number";
    case Kind::boolean: return "0 or 1";
    case Kind::nonnegative_integer: return "a whole number, at least 0";
    case Kind::integer_below: return "a class number below the number of classes";
    case Kind::positive: return "above 0";
    case Kind::nonnegative: return "at least 0";
    case Kind::unit_interval: return "between 0 and 1";
    case Kind::at_least: return "at least the lower bound";
    case Kind::interval: return "between the bounds";
    case Kind::simplex: return "at least 0 with sum 1 along the last dimension";
    case Kind::one_hot: return "one 1 and else 0 along the last dimension";
    case Kind::lower_cholesky: return "a lower triangular matrix with a diagonal above 0";
    case Kind::positive_definite: return "a symmetric positive definite matrix";
  }
  return {};
}

Tensor Constraint::check(const Tensor& value) const {
  auto inside = check_elements(value);
  for (int64_t i = 0; i < extra_dims_; ++i) inside = inside.all(-1);
  return inside;
}

Tensor Constraint::check_elements(const Tensor& value) const {
  switch (kind_) {
    case Kind::real: return at::eq(value, value);
    case Kind::finite: return at::isfinite(value);
    case Kind::boolean: return at::logical_or(value.eq(0), value.eq(1));
    case Kind::nonnegative_integer: return at::logical_and(value.ge(0), is_whole(value));
    case Kind::integer_below:
      return at::logical_and(at::logical_and(value.ge(0), value.lt(upper_)), is_whole(value));
    case Kind::positive: return value.gt(0);
    case Kind::nonnegative: return value.ge(0);
    case Kind::unit_interval: return at::logical_and(value.ge(0), value.le(1));
    case Kind::at_least: return value.ge(lower_);
    case Kind::interval: return at::logical_and(value.ge(lower_), value.le(upper_));
    case Kind::simplex: return is_simplex(value);
    case Kind::one_hot: return is_one_hot(value);
    case Kind::lower_cholesky: return is_lower_cholesky(value);
    case Kind::positive_definite: return is_positive_definite(value);
  }
  return {};
}

namespace constraints {

Constraint integer_below(int64_t upper) {
  return {Kind::integer_below,
          {},
          at::scalar_tensor(at::Scalar(upper), at::kLong),
          "a whole number, 0 to " + std::to_string(upper - 1)};
}

Constraint at_least(Tensor lower) { return {Kind::at_least, std::move(lower), {}}; }

Constraint interval(Tensor lower, Tensor upper) {
  return {Kind::interval, std::move(lower), std::move(upper)};
}

Constraint interval(double lower, double upper) {
  return interval(at::scalar_tensor(lower, at::kDouble), at::scalar_tensor(upper, at::kDouble));
}

}  // namespace constraints

}  // namespace kullback::dist
