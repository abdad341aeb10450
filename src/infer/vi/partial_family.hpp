// A family of which some parameters are free and the others held: for schemes that fit part of lambda.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "infer/vi/family.hpp"

namespace kullback::infer {

class PartialFamily final : public Family {
 public:
  // `base` must outlive it. `lambda` of the base; the free ones begin where they stand in it.
  PartialFamily(Family& base, std::vector<double> lambda, std::vector<std::size_t> free)
      : base_(base), whole_(std::move(lambda)), free_(std::move(free)) {}

  // The parameters of the base with these free ones.
  std::vector<double> whole(std::span<const double> lambda) const;

  std::size_t dim() const override { return base_.dim(); }
  std::size_t parameters() const override { return free_.size(); }
  std::size_t noise() const override { return base_.noise(); }
  Abilities abilities() const override;

  void begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const override;
  void units(std::span<const double> lambda, std::span<double> result) const override;
  void draw(std::span<const double> lambda, const DrawBatch& batch) override;
  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override;
  void slopes_of_draws(std::span<const double> lambda, double* slopes) override;
  void evaluate(std::span<const double> lambda, const PointBatch& batch) override;
  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override;

 private:
  void gather(const std::vector<double>& adjoint, std::span<double> lambda_adjoint) const;

  Family& base_;
  std::vector<double> whole_;
  std::vector<std::size_t> free_;
};

}  // namespace kullback::infer
