// Independent factors on constrained supports: what the estimator `rejection` needs beyond a Family.
#pragma once

#include <memory>
#include <vector>

#include "infer/vi/factors/factor.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {

class ConstrainedFamily final : public Family {
 public:
  explicit ConstrainedFamily(const FamilySetting& setting);

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return parameters_; }
  std::size_t noise() const override { return noise_; }
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
  void scores(std::span<const double> lambda, const PointBatch& batch, double* result) override;
  Factors factors() const override;
  void factor_log_q(std::span<const double> lambda, const PointBatch& batch, double* result) override;
  double entropy(std::span<const double> lambda, double scale,
                 std::span<double> lambda_adjoint) const override;
  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override;

  // Of the draws last made: Factor::pull_back_rejection.
  void pull_back_rejection(std::span<const double> lambda, const double* theta_adjoint, const double* weights,
                           std::span<double> lambda_adjoint) const;

 private:
  struct Placed {
    std::unique_ptr<Factor> factor;
    std::size_t coordinate = 0;  // the first of each
    std::size_t parameter = 0;
    std::size_t noise = 0;
  };

  void place(std::unique_ptr<Factor> factor);

  std::size_t dim_ = 0;
  std::size_t parameters_ = 0;
  std::size_t noise_ = 0;
  std::vector<Placed> placed_;
  std::size_t lanes_ = 0;  // of the draws last made
  std::vector<double> theta_;
};

}  // namespace kullback::infer
