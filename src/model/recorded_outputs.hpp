// The outputs of a program as far as they need no random numbers: recorded at one draw, repeated at the
// others that take the same way through the program.
#pragma once

#include <memory>

#include "model/branches.hpp"
#include "model/prepared.hpp"

namespace kullback::model {

class RecordedOutputs final {
 public:
  // What a draw is given as: an unconstrained point, or the columns of the constrained parameters.
  enum class Input { theta, params };

  enum class Extent { all, transformed, parameters };  // the last block of the record

  RecordedOutputs(const Prepared& prepared, Input input, Extent extent = Extent::all);

  std::size_t input_size() const { return input_size_; }
  void set_parameters_of(tape::Tracer& tracer, const tape::Ids& input) const;

  // False where this draw is rejected, or recording does not pay: then it has to be interpreted.
  bool repeat(const double* input);

  // The first statement of the generated quantities that needs random numbers; their number where none does.
  std::size_t recorded_statements() const { return recorded_statements_; }
  const tape::Value& get(const lang::Variable& variable) const { return current_->tracer.get(variable); }
  const tape::Builder& builder() const { return current_->builder; }

 private:
  struct Recorded {
    explicit Recorded(const Prepared& prepared);
    tape::Builder builder;
    tape::Tracer tracer;
  };

  bool record(const double* input);
  void record_other_blocks(tape::Tracer& tracer) const;

  const Prepared& prepared_;
  Input input_;
  Extent extent_;
  std::size_t input_size_ = 0;
  Branches<Recorded> records_;
  std::shared_ptr<Recorded> current_;  // that of the last draw that was repeated
  std::size_t recorded_statements_ = 0;
  bool is_too_large_ = false;
  std::size_t draws_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace kullback::model
