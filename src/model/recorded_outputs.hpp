// The outputs of a program as far as they need no random numbers: recorded at one draw, repeated at the
// others.
#pragma once

#include <optional>

#include "model/prepared.hpp"

namespace kullback::model {

class RecordedOutputs final {
 public:
  explicit RecordedOutputs(const Prepared& prepared);

  // False where this draw takes another way through the program, or is rejected: then it has to be
  // interpreted.
  bool repeat(const double* theta);

  // The first statement of the generated quantities that needs random numbers; their number where none does.
  std::size_t recorded_statements() const { return recorded_statements_; }
  const tape::Value& get(const lang::Variable& variable) const { return tracer_->get(variable); }
  const tape::Builder& builder() const { return builder_; }

 private:
  bool record(const double* theta);

  const Prepared& prepared_;
  tape::Builder builder_;
  std::optional<tape::Tracer> tracer_;  // set where there is a record
  std::size_t recorded_statements_ = 0;
  std::size_t records_ = 0;
  std::size_t draws_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace kullback::model
