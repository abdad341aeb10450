// A mixture of one family: the last batch dimension of `components` counts the classes of `weights`.
#pragma once

#include "dist/categorical.hpp"

namespace kullback::dist {

class MixtureSameFamily final : public Distribution {
 public:
  MixtureSameFamily(Categorical weights, Any components);

  const Categorical& weights() const { return weights_; }
  const Any& components() const { return components_; }
  // log of the posterior class probabilities of each value, along a new last dimension.
  Tensor log_responsibilities(const Tensor& value) const;

  std::string name() const override { return "MixtureSameFamily(" + components_->name() + ")"; }
  Constraint support() const override { return components_->support(); }
  bool has_rsample() const override { return false; }
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Any expand(IntArrayRef batch_shape) const override;
  Any map(const TensorMap& f) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor log_joint(const Tensor& value) const;
  int64_t class_dim() const { return -1 - static_cast<int64_t>(event_shape().size()); }
  Tensor average(const Tensor& by_class) const;

  Categorical weights_;
  Any components_;
};

}  // namespace kullback::dist
