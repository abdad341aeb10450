// Radial flows: y = x + q (x - c), q = beta h, h = 1 / (alpha + r), r = |x - c|: towards or away from a
// centre, invertible where beta > -alpha (Rezende and Mohamed 2015). Here alpha = exp(3 tanh(a / 3)) and beta
// = alpha m(b) with m onto (-1, inf) and m(0) = 0. With e = x - c:
//   J = (1 + q) I - beta h^2 / r e e',  log|det J| = (dim - 1) log(1 + q) + log B,  B = 1 + alpha beta h^2,
//   J^-T s = (s + beta h^2 / r e e's / B) / (1 + q).
#include <algorithm>
#include <cmath>
#include <vector>

#include "infer/vi/flows/above_minus_one.hpp"
#include "infer/vi/flows/flow.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kLayers};
constexpr std::size_t kLayers = 16;
constexpr double kTiny = 1e-200;
constexpr double kBound = 3;
constexpr double kFirst = 0.02;
constexpr double kUnit = 0.3;

// Parameters: the centre, a, b.
class RadialLayer final : public flows::Layer {
 public:
  explicit RadialLayer(std::size_t dim) : dim_(dim) {}

  std::size_t parameters() const override { return dim_ + 2; }
  bool has_inverse() const override { return false; }

  void begin(Random& random, std::span<double> params) const override {
    for (std::size_t i = 0; i < dim_; ++i) params[i] = random.normal();
    params[dim_] = 0;
    params[dim_ + 1] = kFirst * random.normal();
  }

  void units(std::span<const double>, std::span<double> result) const override {
    std::fill(result.begin(), result.end(), kUnit);
  }

  void forward(std::span<const double> params, const flows::LayerPass& pass) override {
    const std::size_t lanes = pass.lanes;
    set_strength(params);
    radius_.assign(lanes, kTiny);
    near_.resize(lanes);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const double e = pass.x[i * lanes + k] - params[i];
        radius_[k] += e * e;
      }
    }
    for (std::size_t k = 0; k < lanes; ++k) {
      radius_[k] = std::sqrt(radius_[k]);
      near_[k] = 1 / (alpha_ + radius_[k]);
      pass.log_det[k] += (static_cast<double>(dim_) - 1) * std::log1p(beta_ * near_[k]) +
                         std::log1p(alpha_ * beta_ * near_[k] * near_[k]);
    }
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const double x = pass.x[i * lanes + k];
        pass.y[i * lanes + k] = x + beta_ * near_[k] * (x - params[i]);
      }
    }
  }

  void backward(std::span<const double> params, const flows::LayerAdjoint& adjoint,
                std::span<double> params_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    project(params, lanes, adjoint.x, adjoint.y);
    double of_alpha = 0;
    double of_beta = 0;
    pull_.resize(lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double h = near_[k];
      const double b = 1 + alpha_ * beta_ * h * h;
      const double of_log = adjoint.log_det[k];
      const double of_q = projected_[k] + of_log * (static_cast<double>(dim_) - 1) / (1 + beta_ * h);
      const double of_h = of_q * beta_ + 2 * of_log * alpha_ * beta_ * h / b;
      of_beta += of_q * h + of_log * alpha_ * h * h / b;
      of_alpha += of_log * beta_ * h * h / b - of_h * h * h;
      pull_[k] = -of_h * h * h / radius_[k];
    }
    for (std::size_t i = 0; i < dim_; ++i) {
      double of_centre = 0;
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t at = i * lanes + k;
        const double of_e = beta_ * near_[k] * adjoint.y[at] + pull_[k] * (adjoint.x[at] - params[i]);
        adjoint.result[at] = adjoint.y[at] + of_e;
        of_centre -= of_e;
      }
      params_adjoint[i] += of_centre;
    }
    const double of_share = of_beta * alpha_;
    params_adjoint[dim_] += (of_alpha + of_beta * share_) * alpha_slope_;
    params_adjoint[dim_ + 1] += of_share * share_slope_;
  }

  void push_slopes(std::span<const double> params, const flows::LayerSlopes& slopes) override {
    const std::size_t lanes = slopes.lanes;
    project(params, lanes, slopes.x, slopes.in);
    pull_.resize(lanes);
    std::vector<double> shrink(lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double h = near_[k];
      const double r = radius_[k];
      const double b = 1 + alpha_ * beta_ * h * h;
      shrink[k] = 1 / (1 + beta_ * h);
      const double gradient =  // of log|det J|, times e
          -h * h * ((static_cast<double>(dim_) - 1) * beta_ * shrink[k] + 2 * alpha_ * beta_ * h / b) / r;
      const double along = projected_[k] - gradient * r * r;
      pull_[k] = -gradient + beta_ * h * h / r * along / b;
    }
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t at = i * lanes + k;
        slopes.out[at] = shrink[k] * (slopes.in[at] + pull_[k] * (slopes.x[at] - params[i]));
      }
    }
  }

 private:
  void set_strength(std::span<const double> params) {
    const double bounded = std::tanh(params[dim_] / kBound);
    alpha_ = std::exp(kBound * bounded);
    alpha_slope_ = alpha_ * (1 - bounded * bounded);
    const flows::AboveMinusOne share = flows::above_minus_one(params[dim_ + 1]);
    share_ = share.value;
    share_slope_ = share.slope;
    beta_ = alpha_ * share_;
  }

  // e'a in each lane.
  void project(std::span<const double> params, std::size_t lanes, const double* x, const double* a) {
    projected_.assign(lanes, 0.0);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k)
        projected_[k] += (x[i * lanes + k] - params[i]) * a[i * lanes + k];
    }
  }

  std::size_t dim_;
  double alpha_ = 1;
  double alpha_slope_ = 0;
  double share_ = 0;  // beta / alpha
  double share_slope_ = 0;
  double beta_ = 0;
  std::vector<double> radius_;
  std::vector<double> near_;  // h
  std::vector<double> projected_;
  std::vector<double> pull_;
};

}  // namespace

const FamilyRecord& radial_family() {
  static const FamilyRecord record{
      .name = "radial",
      .summary = "a flow towards and away from centres; no log q at given points",
      .citation = "Rezende and Mohamed (2015), Variational inference with normalizing flows, ICML.",
      .options = kOptions,
      .is_affine = true,
      .make = flows::make_flow_of<RadialLayer, kLayers>,
  };
  return record;
}

}  // namespace kullback::infer
