// A member of a variational family as a density: q for bound_by_coupling().
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "density/log_density.hpp"
#include "infer/vi/family.hpp"

namespace kullback::certify {

class FamilyDensity final : public density::LogDensity {
 public:
  // The family must outlive the density and have log q at any point (Abilities::log_q_at).
  FamilyDensity(infer::Family& family, std::vector<double> lambda)
      : family_(family), lambda_(std::move(lambda)) {}

  std::size_t dim() const override { return family_.dim(); }

  void evaluate(const density::Batch& batch) override {
    family_.evaluate(lambda_, {batch.lanes, batch.theta, batch.log_density, batch.gradient});
    for (std::size_t k = 0; k < batch.lanes; ++k)
      batch.status[k] =
          std::isfinite(batch.log_density[k]) ? density::Status::ok : density::Status::not_finite;
  }

 private:
  infer::Family& family_;
  std::vector<double> lambda_;
};

}  // namespace kullback::certify
