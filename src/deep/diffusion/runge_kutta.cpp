#include "deep/diffusion/runge_kutta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr double kAt[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kStage[7][6] = {{},
                                 {1.0 / 5},
                                 {3.0 / 40, 9.0 / 40},
                                 {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                 {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                 {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                 {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
// Order 5 less order 4.
constexpr double kError[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

double error_of(const torch::Tensor& error, const torch::Tensor& before, const torch::Tensor& after,
                const OdeOptions& options) {
  const torch::Tensor scale = options.absolute + options.relative * at::maximum(before.abs(), after.abs());
  return (error / scale).square().mean(1).sqrt().max().item<double>();
}

}  // namespace

OdeResult solve_ode(const std::function<torch::Tensor(const torch::Tensor& state, double t)>& velocity,
                    const torch::Tensor& start, double from, double to, const OdeOptions& options,
                    const std::function<bool(double t, const torch::Tensor& state)>& on_step) {
  OdeResult result{.state = start};
  double t = from, length = (to - from) / 100;
  std::vector<torch::Tensor> slope(7);
  slope[0] = velocity(start, t);
  result.evaluations = 1;
  for (std::int64_t tried = 0; t != to; ++tried) {
    if (tried == options.max_steps)
      throw Error(ErrorKind::bad_input,
                  fmt::format("the probability flow needs more than {} steps (it is at time {}).",
                              options.max_steps, t),
                  "Raise the tolerance, or train the score further.");
    const bool is_last = std::abs(length) >= std::abs(to - t);
    if (is_last) length = to - t;
    torch::Tensor next;
    for (int stage = 1; stage < 7; ++stage) {
      next = result.state;
      for (int j = 0; j < stage; ++j)
        if (kStage[stage][j] != 0)
          next = next + length * kStage[stage][j] * slope[static_cast<std::size_t>(j)];
      slope[static_cast<std::size_t>(stage)] = velocity(next, t + kAt[stage] * length);
    }
    result.evaluations += 6;
    torch::Tensor error = torch::zeros_like(next);
    for (int j = 0; j < 7; ++j)
      if (kError[j] != 0) error = error + length * kError[j] * slope[static_cast<std::size_t>(j)];
    const double size = error_of(error, result.state, next, options);
    const bool is_good = size <= 1;  // not of NaN
    if (is_good) {
      t = is_last ? to : t + length;
      result.state = next;
      slope[0] = slope[6];
      ++result.steps;
      if (on_step && on_step(t, result.state)) return result;
    }
    length *= std::isfinite(size) ? std::clamp(0.9 * std::pow(std::max(size, 1e-10), -0.2), 0.2, 5.0) : 0.2;
  }
  return result;
}

}  // namespace kullback::deep::diffusion
