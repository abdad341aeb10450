// Student's t distribution with `df` degrees of freedom.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class StudentT final : public Family<StudentT> {
 public:
  static constexpr const char* kName = "StudentT";

  explicit StudentT(const Parameter& df, const Parameter& loc = 0.0, const Parameter& scale = 1.0);
  const Tensor& df() const { return df_; }
  const Tensor& loc() const { return loc_; }
  const Tensor& scale() const { return scale_; }
  Constraint support() const override;
  bool has_rsample() const override { return true; }
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<StudentT>;
  std::vector<Slot> slots() {
    return {{"df", &df_, constraints::positive()},
            {"loc", &loc_, constraints::finite()},
            {"scale", &scale_, constraints::positive()}};
  }

  Tensor df_;
  Tensor loc_;
  Tensor scale_;
};

}  // namespace kullback::dist
