// log p(x) = logsumexp over classes of log w + log p(x | class).
#include "dist/mixture.hpp"

#include "dist/shapes.hpp"

namespace kullback::dist {

MixtureSameFamily::MixtureSameFamily(Categorical weights, Any components)
    : weights_(std::move(weights)), components_(std::move(components)) {
  const Shape& batch = components_->batch_shape();
  const auto classes = weights_.num_classes();
  if (batch.empty() || batch.back() != classes) {
    refuse("the components have batch shape " + text_of(batch) + "; its last dimension must count the " +
               std::to_string(classes) + " classes of the weights",
           "make the components with a last batch dimension of that size");
  }
  Shape own(batch.begin(), batch.end() - 1);
  if (!broadcast_into(own, weights_.batch_shape())) {
    refuse("the weights have batch shape " + text_of(weights_.batch_shape()) + ", the components " +
               text_of(own) + " before their classes",
           "give batch shapes that broadcast");
  }
  set_validates(false);  // the components check values
  set_shapes(std::move(own), components_->event_shape());
}

Tensor MixtureSameFamily::log_joint(const Tensor& value) const {
  return components_->log_prob(value.unsqueeze(class_dim())) + weights_.logits();
}

Tensor MixtureSameFamily::log_density(const Tensor& value) const {
  return at::logsumexp(log_joint(value), {-1});
}

Tensor MixtureSameFamily::log_responsibilities(const Tensor& value) const {
  return at::log_softmax(log_joint(value), -1);
}

// One draw of every component and of the class; the class's component is kept.
Tensor MixtureSameFamily::draw(IntArrayRef shape) const {
  const auto dims = event_shape().size();
  const auto sample_and_batch = shape.slice(0, shape.size() - dims);
  const auto classes = weights_.num_classes();
  const auto whole = components_->expand(joined(sample_and_batch, Shape{classes}))->sample();
  auto index = weights_.expand(sample_and_batch)->sample().unsqueeze(-1);
  for (size_t i = 0; i < dims; ++i) index = index.unsqueeze(-1);
  index = index.expand(joined(sample_and_batch, Shape{1}, event_shape()));
  return whole.gather(class_dim(), index).squeeze(class_dim());
}

Tensor MixtureSameFamily::average(const Tensor& by_class) const {
  auto weights = weights_.probs();
  for (size_t i = 0; i < event_shape().size(); ++i) weights = weights.unsqueeze(-1);
  return (weights * by_class).sum(class_dim());
}

Tensor MixtureSameFamily::mean() const { return average(components_->mean()); }

// The mean of the variances and the variance of the means.
Tensor MixtureSameFamily::variance() const {
  const auto deviation = components_->mean() - mean().unsqueeze(class_dim());
  return average(components_->variance() + deviation.square());
}

Tensor MixtureSameFamily::cdf(const Tensor& value) const {
  return (components_->cdf(value.unsqueeze(class_dim())) * weights_.probs()).sum(-1);
}

Any MixtureSameFamily::expand(IntArrayRef batch_shape) const {
  check_expansion(batch_shape);
  return MixtureSameFamily(*weights_.expand(batch_shape).as<Categorical>(),
                           components_->expand(joined(batch_shape, Shape{weights_.num_classes()})));
}

Any MixtureSameFamily::map(const TensorMap& f) const {
  return MixtureSameFamily(*weights_.map(f).as<Categorical>(), components_->map(f));
}

}  // namespace kullback::dist
