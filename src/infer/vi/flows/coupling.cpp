// With a the fixed and b the moved coordinates, y_b = g(x_b; c(x_a)). Adjoints: that of x_b is
// y_b g' + l d log g'/dx; those of c go back through the net to x_a. Slopes: J^-T is solved by
//   out_b = (in_b - d log g'/dx) / g',  out_a = in_a - [out_b and 1 pulled back through y_b and log g' to a].
#include "infer/vi/flows/coupling.hpp"

#include <algorithm>

namespace kullback::infer::flows {

namespace {

constexpr double kFirstOutput = 0.02;

std::vector<std::size_t> where(const std::vector<bool>& flags, bool value) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == value) result.push_back(i);
  }
  return result;
}

}  // namespace

Coupling::Coupling(std::vector<bool> moves, std::size_t hidden, std::unique_ptr<Transformer> transformer)
    : fixed_(where(moves, false)),
      moved_(where(moves, true)),
      transformer_(std::move(transformer)),
      net_({fixed_.size(), hidden, moved_.size() * transformer_->count()}) {}

void Coupling::begin(Random& random, std::span<double> params) const {
  net_.begin(random, kFirstOutput, params);
}

void Coupling::units(std::span<const double>, std::span<double> result) const { net_.units(result); }

void Coupling::gather_fixed(std::size_t lanes, const double* from) {
  inputs_.resize(fixed_.size() * lanes);
  for (std::size_t a = 0; a < fixed_.size(); ++a)
    std::copy_n(from + fixed_[a] * lanes, lanes, inputs_.data() + a * lanes);
}

void Coupling::run_net(std::span<const double> params, std::size_t lanes, const double* x) {
  gather_fixed(lanes, x);
  c_.resize(moved_.size() * transformer_->count() * lanes);
  net_.forward(params, lanes, inputs_.data(), c_.data());
}

void Coupling::forward(std::span<const double> params, const LayerPass& pass) {
  const std::size_t lanes = pass.lanes;
  run_net(params, lanes, pass.x);
  slope_.resize(moved_.size() * lanes);
  curve_.resize(moved_.size() * lanes);
  kept_.resize(moved_.size() * transformer_->kept() * lanes);
  for (const std::size_t a : fixed_) std::copy_n(pass.x + a * lanes, lanes, pass.y + a * lanes);
  for (std::size_t b = 0; b < moved_.size(); ++b) {
    transformer_->forward({lanes, pass.x + moved_[b] * lanes, c_.data() + b * transformer_->count() * lanes,
                           pass.y + moved_[b] * lanes, pass.log_det, slope_.data() + b * lanes,
                           curve_.data() + b * lanes, kept_.data() + b * transformer_->kept() * lanes});
  }
}

// The adjoint of c of moved coordinate b; that of log g' is in log_det_adjoint_.
void Coupling::of_transformer(std::size_t lanes, const double* x, std::size_t b, const double* y_adjoint) {
  const std::size_t first = b * transformer_->count() * lanes;
  transformer_->backward({lanes, x + moved_[b] * lanes, c_.data() + first,
                          kept_.data() + b * transformer_->kept() * lanes, y_adjoint, log_det_adjoint_.data(),
                          c_adjoint_.data() + first});
}

void Coupling::backward(std::span<const double> params, const LayerAdjoint& adjoint,
                        std::span<double> params_adjoint) {
  const std::size_t lanes = adjoint.lanes;
  c_adjoint_.resize(c_.size());
  inputs_adjoint_.resize(inputs_.size());
  log_det_adjoint_.assign(adjoint.log_det, adjoint.log_det + lanes);
  for (std::size_t b = 0; b < moved_.size(); ++b) {
    const double* y = adjoint.y + moved_[b] * lanes;
    double* result = adjoint.result + moved_[b] * lanes;
    of_transformer(lanes, adjoint.x, b, y);
    for (std::size_t k = 0; k < lanes; ++k)
      result[k] = y[k] * slope_[b * lanes + k] + adjoint.log_det[k] * curve_[b * lanes + k];
  }
  net_.backward(params, {lanes, inputs_.data(), c_adjoint_.data(), inputs_adjoint_.data()}, params_adjoint);
  for (std::size_t a = 0; a < fixed_.size(); ++a) {
    const std::size_t at = fixed_[a] * lanes;
    for (std::size_t k = 0; k < lanes; ++k)
      adjoint.result[at + k] = adjoint.y[at + k] + inputs_adjoint_[a * lanes + k];
  }
}

void Coupling::push_slopes(std::span<const double> params, const LayerSlopes& slopes) {
  const std::size_t lanes = slopes.lanes;
  c_adjoint_.resize(c_.size());
  inputs_adjoint_.resize(inputs_.size());
  log_det_adjoint_.assign(lanes, 1.0);
  for (std::size_t b = 0; b < moved_.size(); ++b) {
    const std::size_t at = moved_[b] * lanes;
    for (std::size_t k = 0; k < lanes; ++k)
      slopes.out[at + k] = (slopes.in[at + k] - curve_[b * lanes + k]) / slope_[b * lanes + k];
    of_transformer(lanes, slopes.x, b, slopes.out + at);
  }
  net_.backward(params, {lanes, inputs_.data(), c_adjoint_.data(), inputs_adjoint_.data()}, {});
  for (std::size_t a = 0; a < fixed_.size(); ++a) {
    const std::size_t at = fixed_[a] * lanes;
    for (std::size_t k = 0; k < lanes; ++k)
      slopes.out[at + k] = slopes.in[at + k] - inputs_adjoint_[a * lanes + k];
  }
}

void Coupling::inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x) {
  run_net(params, lanes, y);
  for (const std::size_t a : fixed_) std::copy_n(y + a * lanes, lanes, x + a * lanes);
  for (std::size_t b = 0; b < moved_.size(); ++b) {
    transformer_->inverse(lanes, y + moved_[b] * lanes, c_.data() + b * transformer_->count() * lanes,
                          x + moved_[b] * lanes);
  }
}

std::vector<std::vector<bool>> moves_of_layers(std::size_t dim, std::size_t layers) {
  std::vector<std::vector<bool>> result(layers, std::vector<bool>(dim, dim == 1));
  for (std::size_t l = 0; l < layers && dim > 1; ++l) {
    for (std::size_t i = 0; i < dim; ++i) {
      const bool is_odd = i % 2 == 1;
      const bool is_second = i >= dim / 2;
      const bool is_of_first_kind = l % 4 < 2 ? is_odd : is_second;
      result[l][i] = is_of_first_kind == (l % 2 == 0);
    }
  }
  return result;
}

}  // namespace kullback::infer::flows
