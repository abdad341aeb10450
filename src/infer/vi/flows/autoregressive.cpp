// Masked as in MADE (Germain, Gregor, Murray and Larochelle 2015): hidden unit h has a degree m(h) from 1 to
// dim - 1 and sees the first m(h) coordinates; output i sees the units of degree < i. With one hidden layer
// and units in the order of their degrees, outputs and units follow each other coordinate by coordinate:
//   outputs of 1, units of degree 1 (from x_1), outputs of 2, units of degree 2 (from x_1, x_2), ...
// so that the sequential inverse, x_i = (y_i - t_i) / exp(s_i), and the triangular system for the slopes cost
// what a forward and a backward pass cost: dim small products, each over all lanes.
#include "infer/vi/flows/autoregressive.hpp"

#include <algorithm>
#include <cmath>

#include "infer/vi/flows/kernels.hpp"

namespace kullback::infer::flows {

namespace {

constexpr double kBound = 3;  // of log-scales
constexpr double kFirstOutput = 0.02;
constexpr double kUnit = 0.1;

}  // namespace

Autoregressive::Autoregressive(std::size_t dim, std::size_t hidden, bool is_reversed)
    : dim_(dim), places_(dim) {
  std::size_t units = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    Place& place = places_[i];
    place.coordinate = is_reversed ? dim - 1 - i : i;
    place.units_before = units;
    units = i + 1 < dim ? hidden * (i + 1) / (dim - 1) : units;
    place.units_after = units;
    place.outputs = parameters_;
    place.inputs = place.output_bias() + 2;
    parameters_ = place.input_bias(i) + (place.units_after - place.units_before);
  }
}

void Autoregressive::begin(Random& random, std::span<double> params) const {
  for (std::size_t i = 0; i < dim_; ++i) {
    const Place& place = places_[i];
    const double outer = kFirstOutput / std::sqrt(0.5 * static_cast<double>(place.units_before) + 1);
    const double inner = 1 / std::sqrt(static_cast<double>(i + 1));
    const std::size_t end = place.input_bias(i) + (place.units_after - place.units_before);
    for (std::size_t p = place.outputs; p < end; ++p)
      params[p] = random.normal() * (p < place.inputs ? outer : inner);
  }
}

void Autoregressive::units(std::span<const double>, std::span<double> result) const {
  for (std::size_t i = 0; i < dim_; ++i) {
    const Place& place = places_[i];
    const std::size_t count = place.units_after - place.units_before;
    const double outer = kUnit / std::sqrt(static_cast<double>(std::max<std::size_t>(place.units_before, 1)));
    const double inner = kUnit / std::sqrt(static_cast<double>(i + 1));
    for (std::size_t p = place.outputs; p < place.input_bias(i) + count; ++p) {
      const bool is_bias = (p >= place.output_bias() && p < place.inputs) || p >= place.input_bias(i);
      result[p] = is_bias ? kUnit : p < place.inputs ? outer : inner;
    }
  }
}

void Autoregressive::set_lanes(std::size_t lanes) {
  lanes_ = lanes;
  for (auto* array : {&x_, &shift_, &scale_, &log_scale_}) array->resize(dim_ * lanes);
  hidden_.resize(places_.empty() ? 0 : places_.back().units_after * lanes);
  out_.resize(2 * lanes);
}

void Autoregressive::outputs_at(std::span<const double> params, std::size_t position) {
  const Place& place = places_[position];
  fill_rows(&params[place.output_bias()], 2, lanes_, out_.data());
  add_product(by_rows(&params[place.outputs], 2, place.units_before), lanes_, hidden_.data(), out_.data());
  double* log_scale = log_scale_.data() + position * lanes_;
  std::copy_n(out_.data(), lanes_, shift_.data() + position * lanes_);
  for (std::size_t k = 0; k < lanes_; ++k) log_scale[k] = out_[lanes_ + k] / kBound;
  tanh_all(log_scale, lanes_, log_scale);
  for (std::size_t k = 0; k < lanes_; ++k) log_scale[k] *= kBound;
  exp_all(log_scale, lanes_, scale_.data() + position * lanes_);
}

void Autoregressive::units_at(std::span<const double> params, std::size_t position) {
  const Place& place = places_[position];
  const std::size_t count = place.units_after - place.units_before;
  if (count == 0) return;
  double* hidden = hidden_.data() + place.units_before * lanes_;
  fill_rows(&params[place.input_bias(position)], count, lanes_, hidden);
  add_product(by_rows(&params[place.inputs], count, position + 1), lanes_, x_.data(), hidden);
  tanh_all(hidden, count * lanes_, hidden);
}

void Autoregressive::forward(std::span<const double> params, const LayerPass& pass) {
  set_lanes(pass.lanes);
  for (std::size_t i = 0; i < dim_; ++i) {
    const std::size_t at = places_[i].coordinate * lanes_;
    std::copy_n(pass.x + at, lanes_, x_.data() + i * lanes_);
    outputs_at(params, i);
    for (std::size_t k = 0; k < lanes_; ++k) {
      pass.y[at + k] = pass.x[at + k] * scale_[i * lanes_ + k] + shift_[i * lanes_ + k];
      pass.log_det[k] += log_scale_[i * lanes_ + k];
    }
    units_at(params, i);
  }
}

void Autoregressive::inverse(std::span<const double> params, std::size_t lanes, const double* y, double* x) {
  set_lanes(lanes);
  for (std::size_t i = 0; i < dim_; ++i) {
    const std::size_t at = places_[i].coordinate * lanes;
    outputs_at(params, i);
    for (std::size_t k = 0; k < lanes; ++k)
      x[at + k] = (y[at + k] - shift_[i * lanes + k]) / scale_[i * lanes + k];
    std::copy_n(x + at, lanes, x_.data() + i * lanes);
    units_at(params, i);
  }
}

void Autoregressive::begin_adjoints() {
  x_adjoint_.assign(x_.size(), 0.0);
  hidden_adjoint_.assign(hidden_.size(), 0.0);
}

void Autoregressive::units_back(std::span<const double> params, std::size_t position,
                                std::span<double> params_adjoint) {
  const Place& place = places_[position];
  const std::size_t count = place.units_after - place.units_before;
  if (count == 0) return;
  const double* hidden = hidden_.data() + place.units_before * lanes_;
  double* adjoint = hidden_adjoint_.data() + place.units_before * lanes_;
  for (std::size_t i = 0; i < count * lanes_; ++i) adjoint[i] *= 1 - hidden[i] * hidden[i];
  add_product(transposed(by_rows(&params[place.inputs], count, position + 1)), lanes_, adjoint,
              x_adjoint_.data());
  if (params_adjoint.empty()) return;
  add_outer({count, position + 1, adjoint, x_.data()}, lanes_, &params_adjoint[place.inputs]);
  add_row_sums(adjoint, count, lanes_, &params_adjoint[place.input_bias(position)]);
}

// The adjoints of the two outputs are in out_, that of s before its bound.
void Autoregressive::outputs_back(std::span<const double> params, std::size_t position,
                                  std::span<double> params_adjoint) {
  const Place& place = places_[position];
  for (std::size_t k = 0; k < lanes_; ++k) {
    const double bounded = log_scale_[position * lanes_ + k] / kBound;
    out_[lanes_ + k] *= 1 - bounded * bounded;
  }
  if (!params_adjoint.empty()) add_row_sums(out_.data(), 2, lanes_, &params_adjoint[place.output_bias()]);
  if (place.units_before == 0) return;
  add_product(transposed(by_rows(&params[place.outputs], 2, place.units_before)), lanes_, out_.data(),
              hidden_adjoint_.data());
  if (!params_adjoint.empty())
    add_outer({2, place.units_before, out_.data(), hidden_.data()}, lanes_, &params_adjoint[place.outputs]);
}

void Autoregressive::backward(std::span<const double> params, const LayerAdjoint& adjoint,
                              std::span<double> params_adjoint) {
  begin_adjoints();
  for (std::size_t i = dim_; i-- > 0;) {
    units_back(params, i, params_adjoint);
    const std::size_t at = places_[i].coordinate * lanes_;
    for (std::size_t k = 0; k < lanes_; ++k) {
      const double scaled = adjoint.y[at + k] * scale_[i * lanes_ + k];
      adjoint.result[at + k] = scaled + x_adjoint_[i * lanes_ + k];
      out_[k] = adjoint.y[at + k];
      out_[lanes_ + k] = scaled * x_[i * lanes_ + k] + adjoint.log_det[k];
    }
    outputs_back(params, i, params_adjoint);
  }
}

// J' out = in - grad log|det J|: coordinate i of it has only later ones beside itself.
void Autoregressive::push_slopes(std::span<const double> params, const LayerSlopes& slopes) {
  begin_adjoints();
  for (std::size_t i = dim_; i-- > 0;) {
    units_back(params, i, {});
    const std::size_t at = places_[i].coordinate * lanes_;
    for (std::size_t k = 0; k < lanes_; ++k) {
      const double scaled = slopes.in[at + k] - x_adjoint_[i * lanes_ + k];
      slopes.out[at + k] = scaled / scale_[i * lanes_ + k];
      out_[k] = slopes.out[at + k];
      out_[lanes_ + k] = scaled * x_[i * lanes_ + k] + 1;
    }
    outputs_back(params, i, {});
  }
}

}  // namespace kullback::infer::flows
