#include "dist/independent.hpp"

#include "dist/shapes.hpp"

namespace kullback::dist {

Independent::Independent(Any base, int64_t dims) : base_(std::move(base)), dims_(dims) {
  const Shape& batch = base_->batch_shape();
  if (dims < 0 || static_cast<size_t>(dims) > batch.size()) {
    refuse("cannot take " + std::to_string(dims) + " dimensions of batch shape " + text_of(batch),
           "give a number from 0 to " + std::to_string(batch.size()));
  }
  const auto split = batch.end() - dims;
  set_validates(false);  // the base checks values
  set_shapes(Shape(batch.begin(), split), joined(Shape(split, batch.end()), base_->event_shape()));
}

Tensor Independent::draw(IntArrayRef shape) const {
  const auto samples = shape.size() - batch_shape().size() - event_shape().size();
  return has_rsample() ? base_->rsample(shape.slice(0, samples)) : base_->sample(shape.slice(0, samples));
}

Tensor Independent::log_density(const Tensor& value) const {
  return sum_rightmost(base_->log_prob(value), dims_);
}

Tensor Independent::entropy() const { return sum_rightmost(base_->entropy(), dims_); }

Any Independent::expand(IntArrayRef batch_shape) const {
  check_expansion(batch_shape);
  const auto taken = IntArrayRef(event_shape()).slice(0, static_cast<size_t>(dims_));
  return Independent(base_->expand(joined(batch_shape, taken)), dims_);
}

}  // namespace kullback::dist
