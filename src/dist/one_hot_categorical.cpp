#include "dist/one_hot_categorical.hpp"

namespace kullback::dist {

OneHotCategorical::OneHotCategorical(Categorical classes) : classes_(std::move(classes)) {
  set_validates(classes_.validates());
  set_shapes(classes_.batch_shape(), {classes_.num_classes()});
}

Constraint OneHotCategorical::support() const { return constraints::one_hot(); }

Tensor OneHotCategorical::one_hot(const Tensor& index) const {
  Shape shape = index.sizes().vec();
  shape.push_back(classes_.num_classes());
  return at::zeros(shape, classes_.probs().options().requires_grad(false))
      .scatter_(-1, index.unsqueeze(-1), 1);
}

Tensor OneHotCategorical::draw(IntArrayRef shape) const {
  const auto batch = static_cast<int64_t>(shape.size() - batch_shape().size() - 1);
  return one_hot(classes_.sample(shape.slice(0, static_cast<size_t>(batch))));
}

Tensor OneHotCategorical::straight_through(IntArrayRef sample_shape) const {
  const auto p = probs();
  return sample(sample_shape) + (p - p.detach());
}

// 0 times minus infinity must be 0: the class is looked up instead of summed over.
Tensor OneHotCategorical::log_density(const Tensor& value) const {
  return classes_.log_prob(value.argmax(-1));
}

Tensor OneHotCategorical::variance() const { return mean() * (1 - mean()); }
Tensor OneHotCategorical::mode() const { return over_events(one_hot(classes_.mode())); }
Tensor OneHotCategorical::enumerate_support() const { return one_hot(classes_.enumerate_support()); }

Any OneHotCategorical::expand(IntArrayRef batch_shape) const {
  return OneHotCategorical(*classes_.expand(batch_shape).as<Categorical>());
}

Any OneHotCategorical::map(const TensorMap& f) const {
  return OneHotCategorical(*classes_.map(f).as<Categorical>());
}

}  // namespace kullback::dist
