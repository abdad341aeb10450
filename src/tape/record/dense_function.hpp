// A solver as one instruction of a tape: a function of one list of numbers of one draw. What it calls back is
// a tape of its own (higher_order/callback.hpp).
#pragma once

#include <cstddef>
#include <memory>

namespace kullback::tape {

// Immutable and shared by threads; what an evaluation writes is in a State, one per Workspace.
class DenseFunction {
 public:
  class State {
   public:
    virtual ~State() = default;
  };
  struct Call {
    const double* argument = nullptr;
    double* result = nullptr;   // result_size()
    double* scratch = nullptr;  // scratch_size(), kept from forward to backward
    // backward only:
    const double* result_adjoint = nullptr;
    double* adjoint = nullptr;  // of the argument, to be ADDED to
  };

  virtual ~DenseFunction() = default;
  virtual std::size_t result_size() const = 0;
  virtual std::size_t scratch_size() const = 0;
  virtual std::unique_ptr<State> make_state() const = 0;
  // Throws std::domain_error where the draw is to be rejected.
  virtual void forward(const Call& call, State& state) const = 0;
  virtual void backward(const Call& call, State& state) const = 0;
};

}  // namespace kullback::tape
