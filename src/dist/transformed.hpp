// The distribution of forward(x) for x from another distribution.
#pragma once

#include "dist/distribution.hpp"
#include "dist/transform.hpp"

namespace kullback::dist {

class TransformedDistribution final : public Distribution {
 public:
  TransformedDistribution(Any base, TransformPtr transform);

  const Any& base() const { return base_; }
  const TransformPtr& transform() const { return transform_; }

  std::string name() const override {
    return "TransformedDistribution(" + base_->name() + ", " + transform_->name() + ")";
  }
  Constraint support() const override;
  bool has_rsample() const override { return base_->has_rsample(); }
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  Any expand(IntArrayRef batch_shape) const override;
  Any map(const TensorMap& f) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor turned(const Tensor& probability) const;

  Any base_;
  TransformPtr transform_;
};

}  // namespace kullback::dist
