// With S = dy/d(y0, p) by columns, S' = (df/dy) S + [0, df/dp], S(t0) = [I, 0].
#include "math/solvers/ode.hpp"

#include <algorithm>

#include "math/solvers/check.hpp"

namespace kullback::math {

void check_problem(const OdeProblem& problem) {
  const std::string_view f = problem.function;
  check::finite(f, "initial state", problem.initial);
  check::finite(f, "initial time", problem.initial_time);
  check::finite(f, "times", problem.times);
  check::finite(f, "ode parameters and data", problem.parameters);
  check::nonzero_size(f, "initial state", problem.initial.size());
  check::nonzero_size(f, "times", problem.times.size());
  check::sorted(f, "times", problem.times);
  check::less(f, "initial time", problem.initial_time, problem.times.front());
  check::same_size(f, "dy_dt", problem.rhs->output_count(), "states", problem.states());
}

CoupledOde::CoupledOde(const OdeProblem& problem)
    : problem_(problem), states_(problem.states()), size_(problem.coupled_size()) {
  point_.resize(1 + states_ + problem.parameters.size());
  std::copy(problem.parameters.begin(), problem.parameters.end(),
            point_.begin() + 1 + static_cast<long>(states_));
  jacobian_.resize(point_.size() * states_);
}

std::vector<double> CoupledOde::initial_state() const {
  std::vector<double> z(size_, 0.0);
  std::copy(problem_.initial.begin(), problem_.initial.end(), z.begin());
  if (problem_.initial_varies) {
    for (std::size_t i = 0; i < states_; ++i) z[states_ * (1 + i) + i] = 1.0;
  }
  return z;
}

void CoupledOde::plain_rate(double t, const double* y, double* dy) {
  point_[0] = t;
  std::copy_n(y, states_, point_.begin() + 1);
  problem_.rhs->value(point_.data(), dy);
}

const double* CoupledOde::jacobian(double t, const double* y, double* dy) {
  point_[0] = t;
  std::copy_n(y, states_, point_.begin() + 1);
  problem_.rhs->jacobian(point_.data(), dy, jacobian_.data());
  return jacobian_.data();
}

namespace {

// ds += J s for columns s of n numbers; J by columns.
void add_products(const double* jacobian, const double* s, double* ds, std::size_t columns, std::size_t n) {
  for (const double* end = s + columns * n; s != end; s += n, ds += n) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) ds[i] += s[j] * jacobian[j * n + i];
    }
  }
}

// The same for few states: the compiler unrolls what it knows the length of.
template <std::size_t N>
void add_short_products(const double* jacobian, const double* s, double* ds, std::size_t columns,
                        std::size_t) {
  for (const double* end = s + columns * N; s != end; s += N, ds += N) {
    for (std::size_t i = 0; i < N; ++i) {
      double sum = ds[i];
      for (std::size_t j = 0; j < N; ++j) sum += s[j] * jacobian[j * N + i];
      ds[i] = sum;
    }
  }
}

}  // namespace

void CoupledOde::sensitivity_rates(const double* jacobian, const double* s, double* ds) const {
  const double* by_states = jacobian + states_;
  const double* by_parameters = by_states + states_ * states_;
  const std::size_t of_initial = problem_.initial_varies ? states_ * states_ : 0;
  std::fill_n(ds, of_initial, 0.0);
  std::copy_n(by_parameters, problem_.parameters.size() * states_, ds + of_initial);
  const auto add = states_ == 1   ? add_short_products<1>
                   : states_ == 2 ? add_short_products<2>
                   : states_ == 3 ? add_short_products<3>
                   : states_ == 4 ? add_short_products<4>
                                  : add_products;
  add(by_states, s, ds, problem_.sensitivities(), states_);
}

void CoupledOde::rate(double t, const double* z, double* dz) {
  if (size_ == states_) {
    plain_rate(t, z, dz);
    return;
  }
  sensitivity_rates(jacobian(t, z, dz), z + states_, dz + states_);
}

}  // namespace kullback::math
