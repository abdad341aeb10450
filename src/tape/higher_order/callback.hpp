// A user's function as a solver calls it: traced into a tape of its own, whose inputs are what the solver
// gives (t, y, ...), then the numbers among the other arguments that depend on parameters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lang/program.hpp"
#include "math/solvers/vector_function.hpp"
#include "tape/run/workspace.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

// Immutable once its arguments are added.
class Callback final {
 public:
  using Body = std::function<Value(Tracer& tracer, std::vector<Value> arguments)>;
  Callback(const Tracer& tracer, const lang::Function& function);
  Callback(const Tracer& tracer, std::string_view name, Body body);  // of a built-in function

  // The next argument: `count` numbers of this type and sizes, given by the solver. Before any add().
  void add_input(const math::Type& type, const Dims& dims);
  // The next argument: a value of the calling program, on `outer`. `whole`: where one of its numbers depends
  // on parameters, all become inputs (as in Stan, where a container of vars has sensitivities throughout).
  void add(const Builder& outer, const Value& value, bool whole = false);
  // A copy of the numbers that stay as they are.
  const std::vector<double>& constants() const { return constants_; }

  std::size_t input_count() const { return given_ + captured_.size(); }
  std::size_t given_count() const { return given_; }
  const Ids& captured() const { return captured_; }  // on the calling program's tape, in order of the inputs
  std::string_view name() const { return name_; }

  // The tape at this point; its outputs are the numbers of the result. Throws std::domain_error where the
  // function rejects it.
  std::shared_ptr<const Tape> trace(const double* inputs) const;

 private:
  const lang::Program& program_;
  const SourceMap& sources_;
  TraceOptions options_;
  std::string_view name_;
  Body body_;
  std::size_t given_ = 0;
  Ids captured_;
  std::vector<double> constants_;
  std::vector<Value> arguments_;  // ids: inputs, or places in constants_
};

// Where a comparison in the function comes out differently than when it was traced, another tape answers:
// one of those seen before, or a new one. Evaluation allocates nothing unless that happens. Derivatives where
// the value was asked for just before, as multistep methods do, replay the tape backward only; where that
// takes other lanes (several outputs), both ways.
class CallbackFunction final : public math::VectorFunction {
 public:
  CallbackFunction(std::shared_ptr<const Callback> callback, std::shared_ptr<const Tape> tape);

  std::size_t input_count() const override { return callback_->input_count(); }
  std::size_t output_count() const override { return output_count_; }
  void value(const double* x, double* f) override;
  void jacobian(const double* x, double* f, double* jacobian) override;
  void pull_back(const double* x, const double* adjoint, double* gradient) override;

 private:
  struct Variant {
    std::shared_ptr<const Tape> tape;
    std::unique_ptr<Workspace> one;   // a lane
    std::unique_ptr<Workspace> many;  // a lane per output, where there are several
  };

  bool runs(Variant& variant, const double* x, bool many);
  Variant& run(const double* x, bool many);
  Workspace& at(const double* x, bool many);
  void differentiate(Workspace& workspace, const double* seeds, double* gradient);
  const double* spread(const double* x);

  std::shared_ptr<const Callback> callback_;
  std::size_t output_count_;
  std::vector<Variant> variants_;
  std::size_t current_ = 0;
  std::vector<double> spread_;  // inputs repeated in every lane
  std::vector<double> seeds_;   // the identity
  std::vector<double> outputs_;
  Workspace* held_ = nullptr;    // has values that no derivatives were taken of yet,
  std::vector<double> held_at_;  // at this point
};

}  // namespace kullback::tape
