// integrate_1d and its kin. With F = integral from a to b of f(x, p): dF/da = -f(a), dF/db = f(b), and dF/dp
// is the integral of df/dp, by the same rule, to the same tolerance.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "math/solvers/quadrature.hpp"
#include "tape/higher_order/functions.hpp"
#include "tape/higher_order/pieces.hpp"

namespace kullback::tape {

namespace {

constexpr std::size_t kGiven = 2;  // x, xc

const double kDefaultTolerance = std::sqrt(std::numeric_limits<double>::epsilon());

// x and xc: near a limit many xc share one rounded x.
struct Abscissa {
  std::uint64_t x;
  std::uint64_t xc;
  bool operator==(const Abscissa&) const = default;
};
struct AbscissaHash {
  std::size_t operator()(const Abscissa& a) const { return a.x ^ (a.xc * 0x9E37'79B9'7F4A'7C15U); }
};

struct IntegralState final : DenseFunction::State {
  IntegralState(std::shared_ptr<const Callback> callback, std::shared_ptr<const Tape> tape)
      : f(std::move(callback), std::move(tape)), point(f.input_count()) {}
  CallbackFunction f;
  std::vector<double> point;  // x, xc, parameters
  // Integrals of several partial derivatives meet the same abscissas: f and its gradient there.
  std::unordered_map<Abscissa, std::size_t, AbscissaHash> seen;
  std::vector<double> known;  // f, then the gradient
};

class IntegralFunction final : public DenseFunction {
 public:
  IntegralFunction(const HigherOrderCall& call, math::QuadratureControl control,
                   std::span<const Value> others)
      : name_(call.name), control_(control) {
    control_.function = name_;
    lower_ = add_piece(call, call.values[0], argument_);
    upper_ = add_piece(call, call.values[1], argument_);
    auto callback = std::make_shared<Callback>(call.tracer, *call.functions[0]);
    callback->add_input(math::Type{math::Kind::real}, {});
    callback->add_input(math::Type{math::Kind::real}, {});
    for (const Value& other : others) callback->add(call.builder(), other);
    first_parameter_ = argument_.size();
    argument_.insert(argument_.end(), callback->captured().begin(), callback->captured().end());
    std::vector<double> point{middle(call.number(call.values[0]), call.number(call.values[1])),
                              std::numeric_limits<double>::quiet_NaN()};
    for (const Id id : callback->captured()) point.push_back(call.builder().value(id));
    tape_ = callback->trace(point.data());
    callback_ = std::move(callback);
  }
  IntegralFunction(const IntegralFunction&) = delete;
  IntegralFunction& operator=(const IntegralFunction&) = delete;

  const Ids& argument() const { return argument_; }
  std::size_t result_size() const override { return 1; }
  std::size_t scratch_size() const override { return argument_.size(); }  // the gradient
  std::unique_ptr<State> make_state() const override {
    return std::make_unique<IntegralState>(callback_, tape_);
  }

  void forward(const Call& call, State& state) const override {
    auto& own = static_cast<IntegralState&>(state);
    const double a = lower_.in(call.argument).front();
    const double b = upper_.in(call.argument).front();
    const std::size_t count = argument_.size() - first_parameter_;
    std::copy_n(call.argument + first_parameter_, count, own.point.begin() + kGiven);
    own.seen.clear();
    own.known.clear();
    call.result[0] = math::integrate([&](double x, double xc) { return value(own, x, xc); }, a, b, control_);
    if (lower_.varies) call.scratch[lower_.first] = std::isinf(a) ? 0.0 : -value(own, a, 0.0);
    if (upper_.varies) call.scratch[upper_.first] = std::isinf(b) ? 0.0 : value(own, b, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      call.scratch[first_parameter_ + k] =
          a == b
              ? 0.0
              : math::integrate([&](double x, double xc) { return partial(own, x, xc, k); }, a, b, control_);
    }
  }

  void backward(const Call& call, State&) const override {
    for (std::size_t k = 0; k < argument_.size(); ++k)
      call.adjoint[k] += call.result_adjoint[0] * call.scratch[k];
  }

 private:
  // A point inside the limits, where the function is traced first.
  static double middle(double a, double b) {
    if (std::isinf(a) && std::isinf(b)) return 0;
    if (std::isinf(a)) return b - 1;
    if (std::isinf(b)) return a + 1;
    return a + 0.5 * (b - a);
  }

  static double value(IntegralState& own, double x, double xc) {
    own.point[0] = x;
    own.point[1] = xc;
    double f = 0;
    own.f.value(own.point.data(), &f);
    return f;
  }

  // As in Stan, a partial derivative that is NaN where f is zero counts as zero.
  double partial(IntegralState& own, double x, double xc, std::size_t k) const {
    const std::size_t width = 1 + own.point.size();
    const auto [at, is_new] = own.seen.try_emplace(
        {std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(xc)}, own.known.size());
    if (is_new) {
      own.known.resize(own.known.size() + width);
      own.point[0] = x;
      own.point[1] = xc;
      double* here = own.known.data() + at->second;
      own.f.jacobian(own.point.data(), here, here + 1);
    }
    const double* here = own.known.data() + at->second;
    const double slope = here[1 + kGiven + k];
    if (!std::isnan(slope)) return slope;
    if (here[0] == 0) return 0;
    throw std::domain_error(
        fmt::format("{}: The gradient of f is nan for parameter {} at x = {}", name_, k + 1, x));
  }

  std::string name_;
  math::QuadratureControl control_;
  Piece lower_;
  Piece upper_;
  std::size_t first_parameter_ = 0;
  Ids argument_;
  std::shared_ptr<const Callback> callback_;
  std::shared_ptr<const Tape> tape_;
};

Value integral(const HigherOrderCall& call, const math::QuadratureControl& control,
               std::span<const Value> others) {
  auto f = std::make_shared<IntegralFunction>(call, control, others);
  const Ids argument = f->argument();
  return real_value(call.builder().solve(std::move(f), argument).front());
}

}  // namespace

// f(integrand, a, b, theta, x_r, x_i[, relative tolerance])
Value call_integrate_1d(const HigherOrderCall& call) {
  const std::span<const Value> values = call.values;
  math::QuadratureControl control;
  control.relative_tolerance = values.size() > 5 ? call.number(values[5]) : kDefaultTolerance;
  return integral(call, control, values.subspan(2, 3));
}

// f(integrand, a, b[, relative, absolute, most refinements], others...)
Value call_integrate_1d_variadic(const HigherOrderCall& call) {
  constexpr int kRefinements = 15;
  const std::span<const Value> values = call.values;
  const bool tolerances = call.name.ends_with("_tol");
  math::QuadratureControl control;
  if (call.name.find("gauss_kronrod") != std::string_view::npos)
    control.rule = math::QuadratureControl::Rule::gauss_kronrod;
  control.relative_tolerance = tolerances ? call.number(values[2]) : kDefaultTolerance;
  control.absolute_tolerance = tolerances ? call.number(values[3]) : 0.0;
  control.max_refinements = tolerances ? static_cast<int>(call.number(values[4])) : kRefinements;
  if (control.max_refinements < 0) {
    throw std::domain_error(fmt::format("{}: the most refinements are {}, but must be nonnegative!",
                                        call.name, control.max_refinements));
  }
  return integral(call, control, values.subspan(tolerances ? 5 : 2));
}

}  // namespace kullback::tape
