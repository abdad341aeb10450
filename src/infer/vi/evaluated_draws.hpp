// Draws of an approximation with the log densities that objectives and estimators are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/noise.hpp"

namespace kullback::infer {

// Lanes innermost.
class EvaluatedDraws final {
 public:
  EvaluatedDraws(density::LogDensity& density, Family& family) : density_(density), family_(family) {}

  // Draws, log q where the family has it, log p, and the gradient of log p where it is wanted. Draws at which
  // the density is not finite are replaced by good ones in order (so that q is, in effect, cut to where
  // the density is finite); false where more than a quarter are bad: nothing of it may be used.
  bool evaluate(std::span<const double> lambda, const NoiseSource& noise, std::uint32_t index,
                std::size_t lanes, bool wants_gradient);

  // The terms of the log density at the same draws, counted as an evaluation: count() * lanes.
  std::span<const double> evaluate_terms(density::Terms& terms);
  // Gradients, or values alone, that an estimator has evaluated elsewhere.
  void count_gradients(std::uint64_t count) { gradients_ += count; }
  void count_evaluations(std::uint64_t count) { evaluations_ += count; }

  std::size_t lanes() const { return log_p_.size(); }
  std::span<const double> noise() const { return noise_; }
  std::span<const double> theta() const { return theta_; }
  std::span<const double> log_q() const { return log_q_; }  // empty where the family has none
  std::span<const double> log_p() const { return log_p_; }
  std::span<const double> gradient() const { return gradient_; }  // of log p

  std::uint64_t gradients() const { return gradients_; }      // evaluations of log p with gradient, so far
  std::uint64_t evaluations() const { return evaluations_; }  // without
  std::uint64_t replaced() const { return replaced_; }        // draws at which log p was not finite, so far
  const std::string& message() const { return message_; }     // what the density said of the last of these

  void archive(Archive& archive);

 private:
  void draw(std::span<const double> lambda);
  std::size_t count_bad() const;
  void replace_bad();

  density::LogDensity& density_;
  Family& family_;
  std::vector<double> noise_;
  std::vector<double> theta_;
  std::vector<double> log_q_;
  std::vector<double> log_p_;
  std::vector<double> gradient_;
  std::vector<density::Status> status_;
  std::vector<double> terms_;
  std::uint64_t gradients_ = 0;
  std::uint64_t evaluations_ = 0;
  std::uint64_t replaced_ = 0;
  std::string message_;
};

}  // namespace kullback::infer
