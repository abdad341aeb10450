// Planar flows: y = x + v tanh(w'x + b), invertible where w'v > -1. As in the appendix of Rezende and Mohamed
// (2015) v = u + (m(w'u) - w'u) w / |w|^2, so that w'v = m(w'u) > -1 for any u; here m(0) = 0, which keeps v
// finite as w goes to 0 and makes u = 0 the identity. With t = tanh(w'x + b) and D = 1 + w'v (1 - t^2):
//   log|det J| = log D,  J^-T r = r - w (1 - t^2) v'r / D.
#include <algorithm>
#include <cmath>
#include <vector>

#include "infer/vi/flows/above_minus_one.hpp"
#include "infer/vi/flows/flow.hpp"
#include "infer/vi/flows/kernels.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

using flows::add_outer;
using flows::add_product;
using flows::by_rows;
using flows::transposed;

constexpr const OptionRecord* kOptions[] = {&option::kLayers};
constexpr std::size_t kLayers = 16;
constexpr double kTiny = 1e-300;
constexpr double kFirst = 0.02;
constexpr double kUnit = 0.3;

double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Parameters: w, u, b.
class PlanarLayer final : public flows::Layer {
 public:
  explicit PlanarLayer(std::size_t dim) : dim_(dim), v_(dim) {}

  std::size_t parameters() const override { return 2 * dim_ + 1; }
  bool has_inverse() const override { return false; }

  void begin(Random& random, std::span<double> params) const override {
    const double scale = 1 / std::sqrt(static_cast<double>(dim_));
    for (std::size_t i = 0; i < dim_; ++i) params[i] = scale * random.normal();
    for (std::size_t i = 0; i < dim_; ++i) params[dim_ + i] = kFirst * random.normal();
    params[2 * dim_] = random.normal();
  }

  void units(std::span<const double>, std::span<double> result) const override {
    std::fill(result.begin(), result.end(), kUnit);
    for (std::size_t i = 0; i < dim_; ++i) result[i] = kUnit / std::sqrt(static_cast<double>(dim_));
  }

  void forward(std::span<const double> params, const flows::LayerPass& pass) override {
    const std::size_t lanes = pass.lanes;
    set_v(params);
    bent_.assign(lanes, params[2 * dim_]);
    slope_.resize(lanes);
    below_.resize(lanes);
    add_product(by_rows(params.data(), 1, dim_), lanes, pass.x, bent_.data());
    flows::tanh_all(bent_.data(), lanes, bent_.data());
    for (std::size_t k = 0; k < lanes; ++k) {
      slope_[k] = 1 - bent_[k] * bent_[k];
      below_[k] = 1 + along_ * slope_[k];
      pass.log_det[k] += std::log(below_[k]);
    }
    std::copy_n(pass.x, dim_ * lanes, pass.y);
    add_product(by_rows(v_.data(), dim_, 1), lanes, bent_.data(), pass.y);
  }

  void backward(std::span<const double> params, const flows::LayerAdjoint& adjoint,
                std::span<double> params_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    inner_.assign(lanes, 0.0);
    add_product(by_rows(v_.data(), 1, dim_), lanes, adjoint.y, inner_.data());
    double of_along = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      of_along += adjoint.log_det[k] * slope_[k] / below_[k];
      inner_[k] = (inner_[k] - 2 * bent_[k] * along_ * adjoint.log_det[k] / below_[k]) * slope_[k];
    }
    std::vector<double> of_v(dim_);
    add_outer({dim_, 1, adjoint.y, bent_.data()}, lanes, of_v.data());
    add_outer({dim_, 1, adjoint.x, inner_.data()}, lanes, params_adjoint.data());
    flows::add_row_sums(inner_.data(), 1, lanes, &params_adjoint[2 * dim_]);
    v_back(params, of_along, of_v, params_adjoint);
    std::copy_n(adjoint.y, dim_ * lanes, adjoint.result);
    add_product(by_rows(params.data(), dim_, 1), lanes, inner_.data(), adjoint.result);
  }

  void push_slopes(std::span<const double> params, const flows::LayerSlopes& slopes) override {
    const std::size_t lanes = slopes.lanes;
    std::copy_n(slopes.in, dim_ * lanes, slopes.out);
    inner_.assign(lanes, 0.0);
    add_product(by_rows(v_.data(), 1, dim_), lanes, slopes.in, inner_.data());
    // in - grad = in + 2 t slope along / D w; v'w = along.
    for (std::size_t k = 0; k < lanes; ++k) {
      const double gradient = -2 * bent_[k] * slope_[k] * along_ / below_[k];
      const double projected = inner_[k] - gradient * along_;
      inner_[k] = -gradient - slope_[k] * projected / below_[k];
    }
    add_product(by_rows(params.data(), dim_, 1), lanes, inner_.data(), slopes.out);
  }

 private:
  void set_v(std::span<const double> params) {
    const double* w = params.data();
    const double* u = w + dim_;
    square_ = dot(w, w, dim_) + kTiny;
    const double before = dot(w, u, dim_);
    const flows::AboveMinusOne after = flows::above_minus_one(before);
    along_ = after.value;
    along_slope_ = after.slope;
    excess_ = (along_ - before) / square_;
    for (std::size_t i = 0; i < dim_; ++i) v_[i] = u[i] + excess_ * w[i];
  }

  // v = u + e w with e = (m(p) - p) / |w|^2 and p = w'u; w'v = m(p).
  void v_back(std::span<const double> params, double of_along, const std::vector<double>& of_v,
              std::span<double> params_adjoint) const {
    const double* w = params.data();
    const double* u = w + dim_;
    const double of_excess = dot(of_v.data(), w, dim_);
    const double of_before = of_along * along_slope_ + of_excess * (along_slope_ - 1) / square_;
    const double of_square = -of_excess * excess_ / square_;
    for (std::size_t i = 0; i < dim_; ++i) {
      params_adjoint[i] += excess_ * of_v[i] + 2 * of_square * w[i] + of_before * u[i];
      params_adjoint[dim_ + i] += of_v[i] + of_before * w[i];
    }
  }

  std::size_t dim_;
  std::vector<double> v_;
  double along_ = 0;  // w'v
  double along_slope_ = 0;
  double square_ = 0;
  double excess_ = 0;
  std::vector<double> bent_;   // tanh(w'x + b)
  std::vector<double> slope_;  // 1 - bent^2
  std::vector<double> below_;  // D
  std::vector<double> inner_;
};

}  // namespace

const FamilyRecord& planar_family() {
  static const FamilyRecord record{
      .name = "planar",
      .summary = "a flow of bends along planes; no log q at given points",
      .citation = "Rezende and Mohamed (2015), Variational inference with normalizing flows, ICML.",
      .options = kOptions,
      .is_affine = true,
      .make = flows::make_flow_of<PlanarLayer, kLayers>,
  };
  return record;
}

}  // namespace kullback::infer
