// The embedded Laplace approximation. The covariance function is traced on the calling program's tape: its
// matrix is an argument like any other. The likelihood is a callback of (theta, its other arguments).
#include "math/solvers/laplace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/distribution.hpp"
#include "math/multivariate_random.hpp"
#include "tape/higher_order/functions.hpp"
#include "tape/higher_order/pieces.hpp"

namespace kullback::tape {

namespace {

using math::Kind;
using math::Type;

// ---- likelihoods that are built in: y, y_index[, eta], m ----

std::string_view built_in_likelihood(std::string_view name) {
  for (const std::string_view family : {"bernoulli_logit", "neg_binomial_2_log", "poisson_log"}) {
    if (name.find(family) != std::string_view::npos) return family;
  }
  return {};
}

// sum_i log p(y[i] | theta[g] + m[g][, eta]), g = y_index[i].
Value grouped_log_mass(Tracer& tracer, std::string_view family, std::span<const Value> arguments) {
  const Ids theta = tracer.reals(arguments[0]);
  const Ids offset = tracer.reals(arguments.back());
  const std::vector<int>& group = *arguments[2].ints;
  if (arguments[1].size() != group.size()) tracer.refuse("y and y_index differ in size.");
  if (offset.size() != theta.size())
    tracer.refuse(fmt::format("m has size {}, and theta {}.", offset.size(), theta.size()));
  Ids predictor;
  Ids dispersion;
  for (const int g : group) {
    if (g < 1 || static_cast<std::size_t>(g) > theta.size())
      tracer.refuse(fmt::format("y_index is {}, outside 1 to {}.", g, theta.size()));
    const auto at = static_cast<std::size_t>(g - 1);
    const std::array<Id, 2> both{theta[at], offset[at]};
    predictor.push_back(tracer.builder().elementwise(*math::find_elementwise("add"), both));
    if (arguments.size() != 5) continue;
    const Ids eta = tracer.reals(arguments[3]);
    if (eta.size() != 1 && eta.size() != theta.size())
      tracer.refuse(fmt::format("eta has size {}; give one for all, or one for each theta.", eta.size()));
    dispersion.push_back(eta[eta.size() == 1 ? 0 : at]);
  }
  std::vector<Ids> operands{tracer.reals(arguments[1]), std::move(predictor)};
  if (!dispersion.empty()) operands.push_back(std::move(dispersion));
  math::Terms terms;
  terms.normalized = true;
  const math::Density& density = math::find_distribution(family)->log_density;
  return real_value(tracer.builder().density(density, terms, operands, group.size()));
}

// ---- arguments of a call ----

struct LaplaceSetup {
  std::string function;
  Piece covariance;
  Piece initial;
  std::shared_ptr<const Callback> likelihood;
  std::shared_ptr<const Tape> tape;
  std::size_t first_eta = 0;
  Ids argument;
  math::LaplaceControl control;

  std::size_t size() const { return initial.size; }
  math::LaplaceProblem problem(const double* numbers, math::VectorFunction& f) const {
    math::LaplaceProblem problem;
    problem.function = function;
    problem.likelihood = &f;
    problem.eta = {numbers + first_eta, argument.size() - first_eta};
    problem.covariance = covariance.in(numbers);
    problem.initial = initial.in(numbers);
    problem.control = control;
    return problem;
  }
};

// The arguments in order: likelihood's (a tuple, or those of a built-in one), block size, covariance's tuple
// [, controls].
LaplaceSetup make_setup(const HigherOrderCall& call) {
  LaplaceSetup setup;
  setup.function = call.name;
  const std::string_view family = built_in_likelihood(call.name);
  std::span<const Value> rest = call.values;
  std::span<const Value> forwarded;
  if (family.empty()) {
    forwarded = *rest.front().parts;
    rest = rest.subspan(1);
  } else {
    forwarded = rest.first(family == "neg_binomial_2_log" ? 4 : 3);
    rest = rest.subspan(forwarded.size());
  }
  const auto block = static_cast<int>(call.number(rest[0]));
  if (block < 1)
    throw std::domain_error(
        fmt::format("{}: hessian_block_size is {}, but must be positive!", call.name, block));
  setup.control.block_size = static_cast<std::size_t>(block);
  const Value covariance = call.tracer.call_user(*call.functions.back(), *rest[1].parts, {});
  const std::size_t n = covariance.dims[0];
  if (covariance.dims[1] != n) {
    throw std::domain_error(fmt::format("{}: the covariance is a {} x {} matrix, but must be square",
                                        call.name, n, covariance.dims[1]));
  }
  setup.covariance = add_piece(call, covariance, setup.argument);
  if (rest.size() > 2) {
    const std::vector<Value>& controls = *rest[2].parts;
    setup.initial = add_piece(call, controls[0], setup.argument);
    setup.control.tolerance = call.number(controls[1]);
    setup.control.max_num_steps = static_cast<long>(call.number(controls[2]));
    setup.control.solver = static_cast<int>(call.number(controls[3]));
    setup.control.max_steps_line_search = static_cast<int>(call.number(controls[4]));
    setup.control.allow_fallback = call.number(controls[5]) != 0;
    if (setup.initial.size != n) {
      throw std::domain_error(fmt::format("{}: the first guess of theta has size {}, the covariance {}",
                                          call.name, setup.initial.size, n));
    }
  } else {
    setup.initial.constants.assign(n, 0.0);
    setup.initial.size = n;
  }
  auto likelihood = family.empty()
                        ? std::make_shared<Callback>(call.tracer, *call.functions.front())
                        : std::make_shared<Callback>(call.tracer, family,
                                                     [family](Tracer& own, std::vector<Value> arguments) {
                                                       return grouped_log_mass(own, family, arguments);
                                                     });
  likelihood->add_input(Type{Kind::vector}, {n});
  for (const Value& value : forwarded) likelihood->add(call.builder(), value);
  setup.first_eta = setup.argument.size();
  setup.argument.insert(setup.argument.end(), likelihood->captured().begin(), likelihood->captured().end());
  std::vector<double> point;
  for (const Id id : setup.argument) point.push_back(call.builder().value(id));
  const std::span<const double> initial = setup.initial.in(point.data());
  std::vector<double> inputs(initial.begin(), initial.end());
  inputs.insert(inputs.end(), point.begin() + static_cast<long>(setup.first_eta), point.end());
  setup.tape = likelihood->trace(inputs.data());
  setup.likelihood = std::move(likelihood);
  return setup;
}

class LaplaceFunction final : public DenseFunction {
 public:
  explicit LaplaceFunction(LaplaceSetup setup) : setup_(std::move(setup)) {}

  std::size_t result_size() const override { return 1; }
  std::size_t scratch_size() const override { return setup_.argument.size(); }  // the gradient
  std::unique_ptr<State> make_state() const override {
    return std::make_unique<CallbackState>(setup_.likelihood, setup_.tape);
  }

  void forward(const Call& call, State& state) const override {
    const math::LaplaceMode mode =
        math::find_laplace_mode(setup_.problem(call.argument, static_cast<CallbackState&>(state).f), true);
    call.result[0] = mode.log_marginal;
    std::fill_n(call.scratch, setup_.argument.size(), 0.0);
    if (setup_.covariance.varies) {
      std::copy(mode.covariance_gradient.begin(), mode.covariance_gradient.end(),
                call.scratch + setup_.covariance.first);
    }
    std::copy(mode.eta_gradient.begin(), mode.eta_gradient.end(), call.scratch + setup_.first_eta);
  }

  void backward(const Call& call, State&) const override {
    for (std::size_t i = 0; i < setup_.argument.size(); ++i)
      call.adjoint[i] += call.result_adjoint[0] * call.scratch[i];
  }

 private:
  LaplaceSetup setup_;
};

math::LaplaceMode find_mode(const HigherOrderCall& call) {
  const LaplaceSetup setup = make_setup(call);
  std::vector<double> numbers;
  for (const Id id : setup.argument) numbers.push_back(call.builder().value(id));
  CallbackFunction f(setup.likelihood, setup.tape);
  return math::find_laplace_mode(setup.problem(numbers.data(), f), false);
}

Value vector_value(const HigherOrderCall& call, const std::vector<double>& numbers, Type type, Dims dims) {
  Ids ids;
  for (const double number : numbers) ids.push_back(call.builder().constant(number));
  return real_container(std::move(type), std::move(dims), std::move(ids));
}

}  // namespace

Value call_laplace_marginal(const HigherOrderCall& call) {
  LaplaceSetup setup = make_setup(call);
  const Ids argument = setup.argument;
  return real_value(
      call.builder().solve(std::make_shared<LaplaceFunction>(std::move(setup)), argument).front());
}

Value call_laplace_latent_rng(const HigherOrderCall& call) {
  if (call.tracer.random() == nullptr)
    call.tracer.cannot_run(call.expr, fmt::format("'{}' has no random numbers here.", call.name));
  const math::LaplaceMode mode = find_mode(call);
  const std::vector<double> draw = math::draw_multi_normal(*call.tracer.random(), mode.mode, mode.covariance);
  return vector_value(call, draw, *call.expr.type, {draw.size()});
}

Value call_laplace_latent_solve(const HigherOrderCall& call) {
  const math::LaplaceMode mode = find_mode(call);
  const std::size_t n = mode.mode.size();
  Value tuple;
  tuple.type = *call.expr.type;
  std::vector<Value>& parts = change_parts(tuple);
  parts.push_back(vector_value(call, mode.mode, Type{Kind::vector}, {n}));
  parts.push_back(vector_value(call, mode.covariance, Type{Kind::matrix}, {n, n}));
  return tuple;
}

// The default controls, for a theta of this size or with this first guess.
Value call_generate_laplace_options(const HigherOrderCall& call) {
  const math::LaplaceControl defaults;
  const Value& given = call.values[0];
  Value tuple;
  tuple.type = *call.expr.type;
  std::vector<Value>& parts = change_parts(tuple);
  if (given.ints) {
    const int n = given.ints->front();
    if (n < 1)
      throw std::domain_error(fmt::format("{}: the size is {}, but must be positive!", call.name, n));
    const auto size = static_cast<std::size_t>(n);
    parts.push_back(vector_value(call, std::vector<double>(size, 0.0), Type{Kind::vector}, {size}));
  } else {
    parts.push_back(given);
  }
  parts.push_back(real_value(call.builder().constant(defaults.tolerance)));
  parts.push_back(int_value(static_cast<int>(defaults.max_num_steps)));
  parts.push_back(int_value(defaults.solver));
  parts.push_back(int_value(defaults.max_steps_line_search));
  parts.push_back(int_value(defaults.allow_fallback ? 1 : 0));
  return tuple;
}

}  // namespace kullback::tape
