// The ELBO over draws from fixed noise: a smooth function of lambda without randomness, so that optimisers of
// log densities climb it as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {

// Coordinates are lambda in units: lambda = start + units * x.
class FixedBound final : public density::LogDensity {
 public:
  // `noise`: family.noise() * lanes numbers.
  FixedBound(density::LogDensity& density, Family& family, std::vector<double> noise,
             std::vector<double> start);

  std::size_t dim() const override { return start_.size(); }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return message_; }

  std::vector<double> lambda_at(std::span<const double> x) const;
  const std::vector<double>& units() const { return units_; }
  std::size_t draws() const { return lanes_; }
  std::uint64_t gradients() const { return gradients_; }           // of log p, so far
  void count(std::uint64_t gradients) { gradients_ = gradients; }  // spent, where it goes on for another
  double error() const;  // of the bound last evaluated, as an estimate of the ELBO: over pairs of draws

  // H v by central differences of gradients; false where the bound is not finite beside x.
  bool curvature_times(std::span<const double> x, std::span<const double> v, std::span<double> result);
  // The gradient of each draw's share of the bound, dim() * draws.
  bool gradients_of_draws(std::span<const double> x, std::vector<double>& result);

  void archive(Archive& archive);

 private:
  bool evaluate_draws(std::span<const double> lambda, double& bound, std::span<double> gradient);

  density::LogDensity& density_;
  Family& family_;
  std::size_t lanes_;
  std::vector<double> noise_;
  std::vector<double> start_;
  std::vector<double> units_;
  std::vector<double> theta_;
  std::vector<double> log_p_;
  std::vector<double> gradient_;
  std::vector<density::Status> status_;
  std::uint64_t gradients_ = 0;
  std::string message_;
};

}  // namespace kullback::infer
