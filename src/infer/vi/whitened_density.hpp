// A density in the coordinates in which a Gaussian is standard normal: theta = mean + lower phi.
#pragma once

#include <vector>

#include "density/log_density.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {

// Log densities are those of phi: with log|lower|. Blocks, supports and terms belong to theta and are absent.
class WhitenedDensity final : public density::LogDensity {
 public:
  // `guess.lower` must not be empty. The density must outlive the object.
  WhitenedDensity(density::LogDensity& density, const GaussianGuess& guess);

  std::size_t dim() const override { return density_.dim(); }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return density_.message(); }
  density::Rows* rows() override { return density_.rows(); }

  void to_theta(std::size_t lanes, const double* phi, double* theta) const;
  GaussianGuess to_theta(const GaussianGuess& phi) const;
  double log_determinant() const { return log_determinant_; }

 private:
  density::LogDensity& density_;
  std::vector<double> mean_;
  std::vector<double> lower_;
  double log_determinant_;
  std::vector<double> theta_;
  std::vector<double> gradient_;
};

}  // namespace kullback::infer
