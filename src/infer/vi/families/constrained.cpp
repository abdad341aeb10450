// Each value has the distribution that is natural on its support: gamma above or below a bound, beta between
// bounds, Dirichlet on a simplex, von Mises on a circle (bounds 2 pi apart), normal elsewhere.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "infer/vi/constrained_family.hpp"

namespace kullback::infer {

namespace {

using Kind = density::Support::Kind;

bool is_circle(const density::Support& support) {
  return std::abs(support.upper - support.lower - 2 * std::numbers::pi) < 1e-9;
}

std::unique_ptr<Factor> factor_of(const density::Support& support) {
  switch (support.kind) {
    case Kind::positive: return make_gamma_factor();
    case Kind::bounded: return is_circle(support) ? make_von_mises_factor(support.lower) : make_beta_factor();
    case Kind::simplex: return make_dirichlet_factor(support.size);
    case Kind::real:
    case Kind::other: return make_normal_factor();
  }
  return make_normal_factor();
}

}  // namespace

ConstrainedFamily::ConstrainedFamily(const FamilySetting& setting) {
  while (dim_ < setting.dim)
    place(setting.supports.empty() ? make_normal_factor() : factor_of(setting.supports[dim_]));
}

void ConstrainedFamily::place(std::unique_ptr<Factor> factor) {
  const FactorSize size = factor->size();
  placed_.push_back({std::move(factor), dim_, parameters_, noise_});
  dim_ += size.coordinates;
  parameters_ += size.parameters;
  noise_ += size.noise;
}

Abilities ConstrainedFamily::abilities() const {
  const bool has_moments = std::all_of(placed_.begin(), placed_.end(),
                                       [](const Placed& placed) { return placed.factor->has_moments(); });
  return {.entropy = has_moments, .moments = has_moments};
}

void ConstrainedFamily::begin(const GaussianGuess& guess, std::uint64_t, std::span<double> lambda) const {
  for (const Placed& at : placed_)
    at.factor->begin(&guess.mean[at.coordinate], &guess.sd[at.coordinate], &lambda[at.parameter]);
}

void ConstrainedFamily::units(std::span<const double> lambda, std::span<double> result) const {
  for (const Placed& at : placed_) at.factor->units(&lambda[at.parameter], &result[at.parameter]);
}

void ConstrainedFamily::draw(std::span<const double> lambda, const DrawBatch& batch) {
  lanes_ = batch.lanes;
  for (const Placed& at : placed_) {
    at.factor->draw(&lambda[at.parameter], lanes_, batch.noise + at.noise * lanes_,
                    batch.theta + at.coordinate * lanes_);
  }
  theta_.assign(batch.theta, batch.theta + dim_ * lanes_);
  if (batch.log_q != nullptr) evaluate(lambda, {lanes_, theta_.data(), batch.log_q, nullptr});
}

// The derivative of log q through theta joins that of theta; the rest is the score.
void ConstrainedFamily::pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                                  std::span<double> lambda_adjoint) {
  std::vector<double> whole(adjoint.theta, adjoint.theta + dim_ * lanes_);
  if (adjoint.log_q != nullptr) {
    std::vector<double> slopes(whole.size());
    slopes_of_draws(lambda, slopes.data());
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] += adjoint.log_q[i % lanes_] * slopes[i];
    score(lambda, {lanes_, theta_.data()}, adjoint.log_q, lambda_adjoint);
  }
  for (const Placed& at : placed_) {
    const std::size_t first = at.coordinate * lanes_;
    at.factor->pull_back(&lambda[at.parameter], {lanes_, &theta_[first], &whole[first]},
                         &lambda_adjoint[at.parameter]);
  }
}

void ConstrainedFamily::pull_back_rejection(std::span<const double> lambda, const double* theta_adjoint,
                                            const double* weights, std::span<double> lambda_adjoint) const {
  for (const Placed& at : placed_) {
    const std::size_t first = at.coordinate * lanes_;
    at.factor->pull_back_rejection(&lambda[at.parameter], {lanes_, &theta_[first], theta_adjoint + first},
                                   weights, &lambda_adjoint[at.parameter]);
  }
}

void ConstrainedFamily::slopes_of_draws(std::span<const double> lambda, double* slopes) {
  std::vector<double> log_q(lanes_);
  evaluate(lambda, {lanes_, theta_.data(), log_q.data(), slopes});
}

void ConstrainedFamily::evaluate(std::span<const double> lambda, const PointBatch& batch) {
  std::fill_n(batch.log_q, batch.lanes, 0.0);
  for (const Placed& at : placed_) {
    const std::size_t first = at.coordinate * batch.lanes;
    at.factor->add_log_q(&lambda[at.parameter], batch.lanes, batch.theta + first, batch.log_q,
                         batch.slopes == nullptr ? nullptr : batch.slopes + first);
  }
}

void ConstrainedFamily::score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
                              std::span<double> lambda_adjoint) {
  std::vector<double> each(parameters_ * batch.lanes);
  scores(lambda, batch, each.data());
  for (std::size_t p = 0; p < parameters_; ++p) {
    for (std::size_t k = 0; k < batch.lanes; ++k) lambda_adjoint[p] += weights[k] * each[p * batch.lanes + k];
  }
}

void ConstrainedFamily::scores(std::span<const double> lambda, const PointBatch& batch, double* result) {
  for (const Placed& at : placed_) {
    at.factor->scores(&lambda[at.parameter], batch.lanes, batch.theta + at.coordinate * batch.lanes,
                      result + at.parameter * batch.lanes);
  }
}

Factors ConstrainedFamily::factors() const {
  Factors result{placed_.size(), std::vector<std::uint32_t>(dim_), std::vector<std::uint32_t>(parameters_)};
  for (std::uint32_t f = 0; f < placed_.size(); ++f) {
    const FactorSize size = placed_[f].factor->size();
    std::fill_n(&result.of_coordinate[placed_[f].coordinate], size.coordinates, f);
    std::fill_n(&result.of_parameter[placed_[f].parameter], size.parameters, f);
  }
  return result;
}

void ConstrainedFamily::factor_log_q(std::span<const double> lambda, const PointBatch& batch,
                                     double* result) {
  std::fill_n(result, placed_.size() * batch.lanes, 0.0);
  for (std::size_t f = 0; f < placed_.size(); ++f) {
    placed_[f].factor->add_log_q(&lambda[placed_[f].parameter], batch.lanes,
                                 batch.theta + placed_[f].coordinate * batch.lanes, result + f * batch.lanes,
                                 nullptr);
  }
}

double ConstrainedFamily::entropy(std::span<const double> lambda, double scale,
                                  std::span<double> lambda_adjoint) const {
  double sum = 0;
  for (const Placed& at : placed_) {
    sum += at.factor->entropy(&lambda[at.parameter], scale,
                              lambda_adjoint.empty() ? nullptr : &lambda_adjoint[at.parameter]);
  }
  return sum;
}

void ConstrainedFamily::moments(std::span<const double> lambda, std::span<double> mean,
                                std::span<double> sd) const {
  for (const Placed& at : placed_)
    at.factor->moments(&lambda[at.parameter], &mean[at.coordinate], &sd[at.coordinate]);
}

namespace {

std::unique_ptr<Family> make(const FamilySetting& setting) {
  return std::make_unique<ConstrainedFamily>(setting);
}

}  // namespace

const FamilyRecord& constrained_family() {
  static const FamilyRecord record{
      .name = "constrained",
      .summary =
          "independent gamma, beta, Dirichlet, von Mises and normal factors, by the support of each value",
      .citation = "Figurnov, Mohamed and Mnih (2018), Implicit reparameterization gradients, NeurIPS.",
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
