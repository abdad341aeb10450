// The Dirichlet distribution on the simplex.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Dirichlet final : public Family<Dirichlet> {
 public:
  static constexpr const char* kName = "Dirichlet";

  explicit Dirichlet(Tensor concentration);
  const Tensor& concentration() const { return concentration_; }
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
  friend Family<Dirichlet>;
  std::vector<Slot> slots() { return {{"concentration", &concentration_, constraints::positive_vector()}}; }

  Tensor concentration_;
};

}  // namespace kullback::dist
