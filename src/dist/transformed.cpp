// log p(y) = log p_base(x) - log |det dy/dx|, x = inverse(y). Where the transform takes more dimensions as
// one thing than the base has in its event, the base's batch dimensions there become its event first.
#include "dist/transformed.hpp"

#include "dist/independent.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

Shape whole_shape(const Distribution& d) { return joined(d.batch_shape(), d.event_shape()); }

int64_t event_dims(const Distribution& d) { return static_cast<int64_t>(d.event_shape().size()); }

// Parameters of the transform may have batch dimensions that the base lacks.
Any fitted(Any base, const Transform& transform) {
  const Shape needed = transform.inverse_shape(transform.forward_shape(whole_shape(*base)));
  if (needed != whole_shape(*base)) {
    const auto batch = needed.end() - static_cast<ptrdiff_t>(base->event_shape().size());
    base = base->expand(Shape(needed.begin(), batch));
  }
  const auto more = transform.domain_dim() - event_dims(*base);
  return more > 0 ? Any(Independent(base, more)) : base;
}

}  // namespace

TransformedDistribution::TransformedDistribution(Any base, TransformPtr transform)
    : base_(fitted(std::move(base), *transform)), transform_(std::move(transform)) {
  const Shape shape = transform_->forward_shape(whole_shape(*base_));
  const auto events = event_dims(*base_) + transform_->codomain_dim() - transform_->domain_dim();
  const auto split = shape.end() - events;
  set_validates(false);  // the base checks what the inverse gives
  set_shapes(Shape(shape.begin(), split), Shape(split, shape.end()));
}

Constraint TransformedDistribution::support() const {
  return constraints::real().independent(static_cast<int64_t>(event_shape().size()));
}

Tensor TransformedDistribution::draw(IntArrayRef shape) const {
  const auto samples = shape.slice(0, shape.size() - batch_shape().size() - event_shape().size());
  return transform_->forward(has_rsample() ? base_->rsample(samples) : base_->sample(samples));
}

Tensor TransformedDistribution::log_density(const Tensor& value) const {
  const auto x = transform_->inverse(value);
  const auto log_det = transform_->log_abs_det_jacobian(x, value);
  return base_->log_prob(x) - sum_rightmost(log_det, event_dims(*base_) - transform_->domain_dim());
}

// 1 - p where the transform decreases.
Tensor TransformedDistribution::turned(const Tensor& probability) const {
  if (!event_shape().empty())
    refuse("its events are not numbers, so it has no cdf", "take a part that is one");
  const auto sign = transform_->sign();
  return sign.defined() ? at::where(sign.gt(0), probability, 1 - probability) : probability;
}

Tensor TransformedDistribution::cdf(const Tensor& value) const {
  return turned(base_->cdf(transform_->inverse(value)));
}

Tensor TransformedDistribution::icdf(const Tensor& probability) const {
  return transform_->forward(base_->icdf(turned(probability)));
}

Any TransformedDistribution::expand(IntArrayRef batch_shape) const {
  check_expansion(batch_shape);
  const Shape needed = transform_->inverse_shape(joined(batch_shape, event_shape()));
  const auto batch = needed.end() - static_cast<ptrdiff_t>(base_->event_shape().size());
  return TransformedDistribution(base_->expand(Shape(needed.begin(), batch)), transform_);
}

Any TransformedDistribution::map(const TensorMap& f) const {
  return TransformedDistribution(base_->map(f), transform_->map([&](const Tensor& t) { return f(t, 0); }));
}

}  // namespace kullback::dist
