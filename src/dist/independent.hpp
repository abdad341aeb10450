// Another distribution with its last `dims` batch dimensions taken as part of the event: log_prob sums over
// them.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Independent final : public Distribution {
 public:
  Independent(Any base, int64_t dims);

  const Any& base() const { return base_; }
  int64_t dims() const { return dims_; }

  std::string name() const override { return "Independent(" + base_->name() + ")"; }
  Constraint support() const override { return base_->support().independent(dims_); }
  bool has_rsample() const override { return base_->has_rsample(); }
  Tensor entropy() const override;
  Tensor mean() const override { return base_->mean(); }
  Tensor variance() const override { return base_->variance(); }
  Tensor mode() const override { return base_->mode(); }
  Any expand(IntArrayRef batch_shape) const override;
  Any map(const TensorMap& f) const override { return Independent(base_->map(f), dims_); }

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Any base_;
  int64_t dims_;
};

}  // namespace kullback::dist
