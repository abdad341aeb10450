#include "infer/vi/partial_family.hpp"

namespace kullback::infer {

std::vector<double> PartialFamily::whole(std::span<const double> lambda) const {
  std::vector<double> result = whole_;
  for (std::size_t p = 0; p < free_.size(); ++p) result[free_[p]] = lambda[p];
  return result;
}

Abilities PartialFamily::abilities() const {
  Abilities result = base_.abilities();
  result.entropy = result.moments = result.is_gaussian = false;
  return result;
}

void PartialFamily::begin(const GaussianGuess&, std::uint64_t, std::span<double> lambda) const {
  for (std::size_t p = 0; p < free_.size(); ++p) lambda[p] = whole_[free_[p]];
}

void PartialFamily::units(std::span<const double> lambda, std::span<double> result) const {
  std::vector<double> all(whole_.size());
  base_.units(whole(lambda), all);
  for (std::size_t p = 0; p < free_.size(); ++p) result[p] = all[free_[p]];
}

void PartialFamily::draw(std::span<const double> lambda, const DrawBatch& batch) {
  base_.draw(whole(lambda), batch);
}

void PartialFamily::pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                              std::span<double> lambda_adjoint) {
  std::vector<double> all(whole_.size());
  base_.pull_back(whole(lambda), adjoint, all);
  gather(all, lambda_adjoint);
}

void PartialFamily::slopes_of_draws(std::span<const double> lambda, double* slopes) {
  base_.slopes_of_draws(whole(lambda), slopes);
}

void PartialFamily::evaluate(std::span<const double> lambda, const PointBatch& batch) {
  base_.evaluate(whole(lambda), batch);
}

void PartialFamily::score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
                          std::span<double> lambda_adjoint) {
  std::vector<double> all(whole_.size());
  base_.score(whole(lambda), batch, weights, all);
  gather(all, lambda_adjoint);
}

void PartialFamily::gather(const std::vector<double>& adjoint, std::span<double> lambda_adjoint) const {
  for (std::size_t p = 0; p < free_.size(); ++p) lambda_adjoint[p] += adjoint[free_[p]];
}

}  // namespace kullback::infer
