// A mixture of Gaussians as a family: what the scheme that adds one component at a time must know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "infer/vi/family.hpp"
#include "infer/vi/lower_factor.hpp"

namespace kullback::infer {

// lambda = (logits of the weights, then component after component: mean, factor of the covariance).
class Mixture final : public Family {
 public:
  // Covariances are dense up to some hundred coordinates, then diagonal.
  Mixture(std::size_t dim, std::size_t components);

  std::size_t components() const { return factors_.size(); }
  std::size_t component_parameters() const { return dim_ + factors_.front().parameters(); }
  std::size_t component_place(std::size_t component) const {
    return components() + component * component_parameters();
  }
  // Writes mean and factor of one component; `sd` where the guess has no Cholesky factor.
  void set_component(std::size_t component, const GaussianGuess& gaussian, std::span<double> lambda) const;
  // A logit that leaves a component without any weight, whatever the others below 100 are.
  static constexpr double kNoWeight = -1e4;

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return component_place(components()); }
  std::size_t noise() const override { return dim_; }
  Abilities abilities() const override { return {.moments = true}; }

  void begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const override;
  void units(std::span<const double> lambda, std::span<double> result) const override;
  void draw(std::span<const double> lambda, const DrawBatch& batch) override;
  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override;
  void slopes_of_draws(std::span<const double> lambda, double* slopes) override;
  void evaluate(std::span<const double> lambda, const PointBatch& batch) override;
  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override;
  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override;

 private:
  // What is known of draws or points: number c * dim + i of y belongs to component c, lanes innermost.
  struct Standardised {
    std::size_t lanes = 0;
    std::vector<double> y;       // L_c^-1 (theta - m_c)
    std::vector<double> log_q;   // lanes
    std::vector<double> shares;  // of the components in the density at the point: components * lanes
  };

  // Adjoints on the way from the last coordinate to the first.
  struct Backward {
    const std::vector<double>& adjoint;  // of theta
    std::vector<double> of_shares;       // of the logarithms of the shares: components * lanes
    std::vector<double> pushed;          // as y: of y until its coordinate is passed, then of m
  };

  template <class Number>
  std::span<Number> packed(std::size_t component, std::span<Number> lambda) const {
    return lambda.subspan(component_place(component) + dim_, factors_.front().parameters());
  }
  void set(std::span<const double> lambda);
  void draw_coordinate(std::span<const double> lambda, const DrawBatch& batch, std::size_t i);
  void finish(const std::vector<double>& log_weighted, Standardised& at) const;
  void standardise(std::span<const double> lambda, const PointBatch& batch, Standardised& at);
  void write_slopes(const Standardised& at, double* slopes) const;
  void add_score(const Standardised& at, const double* weights, std::span<double> lambda_adjoint);
  void add_through_draws(const std::vector<double>& adjoint, std::span<double> lambda_adjoint);
  void gather_later(std::size_t i, std::size_t c, Backward& back, std::span<double> lambda_adjoint) const;
  void pass_quantile(std::size_t i, std::size_t k, Backward& back) const;

  std::size_t dim_;
  std::vector<LowerFactor> factors_;
  std::vector<double> log_weights_;
  Standardised drawn_;
  std::vector<double> noise_;  // of the draws last made
  std::vector<double>
      log_weighted_;                 // of the draw going on: log weight and density of the coordinates so far
  std::vector<double> conditional_;  // shares given the coordinates before: (i * components + c) * lanes + k
  Standardised point_;
};

}  // namespace kullback::infer
