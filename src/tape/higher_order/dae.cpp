// dae and dae_tol: f(residual, y0, y0', t0, ts[, relative, absolute, most steps], others...). Times are data.
#include "math/solvers/dae.hpp"

#include <algorithm>

#include "math/solvers/check.hpp"
#include "tape/higher_order/functions.hpp"
#include "tape/higher_order/pieces.hpp"

namespace kullback::tape {

namespace {

class DaeFunction final : public DenseFunction {
 public:
  explicit DaeFunction(const HigherOrderCall& call) : name_(call.name) {
    const std::span<const Value> values = call.values;
    initial_ = add_piece(call, values[0], argument_);
    rate_ = add_piece(call, values[1], argument_);
    control_.initial_time = call.number(values[2]);
    times_ = call.numbers(values[3]);
    const bool tolerances = call.name.ends_with("_tol");
    if (tolerances) {
      control_.relative_tolerance = call.number(values[4]);
      control_.absolute_tolerance = call.number(values[5]);
      control_.max_num_steps = static_cast<long>(call.number(values[6]));
    }
    auto callback = std::make_shared<Callback>(call.tracer, *call.functions[0]);
    callback->add_input(math::Type{math::Kind::real}, {});
    callback->add_input(values[0].type, values[0].dims);
    callback->add_input(values[1].type, values[1].dims);
    for (const Value& other : values.subspan(tolerances ? 7 : 4)) callback->add(call.builder(), other, true);
    math::check::finite(name_, "DAE parameters and data", callback->constants());
    first_parameter_ = argument_.size();
    argument_.insert(argument_.end(), callback->captured().begin(), callback->captured().end());
    std::vector<double> point{control_.initial_time};
    for (const std::size_t i : {0, 1}) {
      const std::vector<double> numbers = call.numbers(values[i]);
      point.insert(point.end(), numbers.begin(), numbers.end());
    }
    for (const Id id : callback->captured()) point.push_back(call.builder().value(id));
    tape_ = callback->trace(point.data());
    callback_ = std::move(callback);
    const std::size_t varying = (initial_.varies ? initial_.size : 0) + (rate_.varies ? rate_.size : 0) +
                                argument_.size() - first_parameter_;
    coupled_size_ = initial_.size * (1 + varying);
  }

  const Ids& argument() const { return argument_; }
  Dims dims() const { return {times_.size(), initial_.size}; }
  std::size_t result_size() const override { return times_.size() * initial_.size; }
  std::size_t scratch_size() const override { return times_.size() * coupled_size_; }
  std::unique_ptr<State> make_state() const override {
    return std::make_unique<CallbackState>(callback_, tape_);
  }

  void forward(const Call& call, State& state) const override {
    math::DaeProblem problem = control_;
    problem.function = name_;
    problem.residual = &static_cast<CallbackState&>(state).f;
    problem.initial = initial_.in(call.argument);
    problem.initial_rate = rate_.in(call.argument);
    problem.times = times_;
    problem.parameters = {call.argument + first_parameter_, argument_.size() - first_parameter_};
    problem.initial_varies = initial_.varies;
    problem.rate_varies = rate_.varies;
    math::solve_dae(problem, call.scratch);
    const std::size_t n = initial_.size;
    for (std::size_t i = 0; i < times_.size(); ++i)
      std::copy_n(call.scratch + i * coupled_size_, n, call.result + i * n);
  }

  // The columns of the sensitivities stand in the order of the argument.
  void backward(const Call& call, State&) const override {
    const std::size_t n = initial_.size;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const double* column = call.scratch + i * coupled_size_ + n;
      for (std::size_t k = 0; k < argument_.size(); ++k, column += n) {
        for (std::size_t j = 0; j < n; ++j) call.adjoint[k] += call.result_adjoint[i * n + j] * column[j];
      }
    }
  }

 private:
  std::string name_;
  math::DaeProblem control_;  // tolerances and the initial time
  Piece initial_;
  Piece rate_;
  std::vector<double> times_;
  std::size_t first_parameter_ = 0;
  std::size_t coupled_size_ = 0;
  Ids argument_;
  std::shared_ptr<const Callback> callback_;
  std::shared_ptr<const Tape> tape_;
};

}  // namespace

Value call_dae(const HigherOrderCall& call) {
  auto f = std::make_shared<DaeFunction>(call);
  const Ids argument = f->argument();
  const Dims dims = f->dims();
  return real_container(*call.expr.type, dims, call.builder().solve(std::move(f), argument));
}

}  // namespace kullback::tape
