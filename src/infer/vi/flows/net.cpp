#include "infer/vi/flows/net.hpp"

#include <algorithm>
#include <cmath>

#include "infer/vi/flows/kernels.hpp"

namespace kullback::infer::flows {

namespace {

// A step of one unit in all weights of a neuron moves what it says by some tenths.
constexpr double kUnit = 0.1;

}  // namespace

void Net::begin(Random& random, double output_sd, std::span<double> params) const {
  const double inner = 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(shape_.inputs, 1)));
  const double outer =
      output_sd / std::sqrt(0.5 * static_cast<double>(std::max<std::size_t>(shape_.hidden, 1)));
  for (std::size_t i = 0; i < params.size(); ++i)
    params[i] = random.normal() * (i < output_weights() ? inner : outer);
  std::fill(params.begin() + static_cast<std::ptrdiff_t>(output_bias()), params.end(), 0.0);
}

void Net::units(std::span<double> result) const {
  const double inner = kUnit / std::sqrt(static_cast<double>(std::max<std::size_t>(shape_.inputs, 1)));
  const double outer = kUnit / std::sqrt(static_cast<double>(std::max<std::size_t>(shape_.hidden, 1)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool is_weight = i >= output_weights() && i < output_bias();
    result[i] = i < hidden_bias() ? inner : is_weight ? outer : kUnit;
  }
}

void Net::forward(std::span<const double> params, std::size_t lanes, const double* x, double* y) {
  fill_rows(params.data() + output_bias(), shape_.outputs, lanes, y);
  if (shape_.hidden == 0) return;
  hidden_.resize(shape_.hidden * lanes);
  fill_rows(params.data() + hidden_bias(), shape_.hidden, lanes, hidden_.data());
  add_product(by_rows(params.data(), shape_.hidden, shape_.inputs), lanes, x, hidden_.data());
  tanh_all(hidden_.data(), hidden_.size(), hidden_.data());
  add_product(by_rows(params.data() + output_weights(), shape_.outputs, shape_.hidden), lanes, hidden_.data(),
              y);
}

void Net::backward(std::span<const double> params, const Adjoint& adjoint, std::span<double> params_adjoint) {
  const std::size_t lanes = adjoint.lanes;
  const bool wants_params = !params_adjoint.empty();
  if (adjoint.result != nullptr) std::fill(adjoint.result, adjoint.result + shape_.inputs * lanes, 0.0);
  if (wants_params) add_row_sums(adjoint.y, shape_.outputs, lanes, params_adjoint.data() + output_bias());
  if (shape_.hidden == 0) return;
  if (wants_params)
    add_outer({shape_.outputs, shape_.hidden, adjoint.y, hidden_.data()}, lanes,
              params_adjoint.data() + output_weights());
  hidden_adjoint_.assign(hidden_.size(), 0.0);
  add_product(transposed(by_rows(params.data() + output_weights(), shape_.outputs, shape_.hidden)), lanes,
              adjoint.y, hidden_adjoint_.data());
  for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_adjoint_[i] *= 1 - hidden_[i] * hidden_[i];
  if (wants_params) {
    add_row_sums(hidden_adjoint_.data(), shape_.hidden, lanes, params_adjoint.data() + hidden_bias());
    add_outer({shape_.hidden, shape_.inputs, hidden_adjoint_.data(), adjoint.x}, lanes,
              params_adjoint.data());
  }
  if (adjoint.result != nullptr)
    add_product(transposed(by_rows(params.data(), shape_.hidden, shape_.inputs)), lanes,
                hidden_adjoint_.data(), adjoint.result);
}

}  // namespace kullback::infer::flows
