// One thread's numbers: values and adjoints of every slot for a fixed number of lanes. Evaluation allocates
// nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tape/run/adjoint_plan.hpp"
#include "tape/run/lane_kernels.hpp"
#include "tape/run/log_sum_exp.hpp"
#include "tape/tape.hpp"

namespace kullback::tape {

class Workspace final {
 public:
  Workspace(std::shared_ptr<const Tape> tape, std::size_t lanes);
  ~Workspace();

  static std::size_t bytes_per_lane(const Tape& tape);
  std::size_t lanes() const { return lanes_; }

  // theta: parameter_count * lanes. Computes all values; false where a function refused its arguments
  // (message()).
  bool forward(const double* theta);
  void log_density(double* result) const;  // lanes
  void backward(double* gradient);         // after forward: parameter_count * lanes
  // Of some lanes among others: coordinates are `stride` numbers apart.
  // Without a gradient no backward() may follow.
  bool forward(const double* theta, std::size_t stride, bool with_gradient = true);
  void backward(double* gradient, std::size_t stride);
  // Of a tape with outputs: their values, and the gradient of a weighted sum of them. outputs * lanes.
  void outputs(double* result) const;
  void backward_outputs(const double* weights, double* gradient);

  // True where every comparison came out in this lane as when the program was traced.
  bool guards_hold(std::size_t lane) const;

  // A number that tells operations apart: of the first whose value is not finite in this lane.
  std::uint64_t first_not_finite(std::size_t lane) const;
  // After the tape's constants, presets or operands were changed (rows/rows.hpp).
  void rebind();
  const double* values(std::uint32_t slot) const {
    return values_.data() + slot * lanes_;
  }  // lanes, after forward

  const std::string& message() const { return message_; }
  Span failed_at() const { return failed_at_; }

 private:
  struct Bound;  // an instruction with its pointers

  double* dense_arguments(const Bound& bound, std::size_t lane, double* next,
                          math::DenseArgument* arguments) const;
  void forward_dense(const Bound& bound);
  void backward_dense(const Bound& bound);
  void gather(const TapeOperand& operand, std::size_t lane, double* dense) const;
  void scatter_add(const TapeOperand& operand, std::size_t lane, const double* dense);
  void backward_density(const Bound& bound);
  void sweep_back(double* gradient, std::size_t stride);
  void place_partials(const Bound& bound);
  void resolve();
  void spread_constants();
  void clear_adjoints();
  PackedCall packed_call(const Bound& bound);
  LaneCall lane_call(const Bound& bound, math::DenseArgument* arguments, double** adjoints);
  void scatter_lanes(const Bound& bound, double* const* adjoints);
  LogSumExpCall log_sum_exp_call(const Bound& bound) const;

  std::shared_ptr<const Tape> tape_;
  std::size_t lanes_;
  std::vector<double> values_;
  std::vector<double> adjoints_;
  std::vector<double> scratch_;
  std::vector<double> dense_;  // gathered arguments and results of one array op
  AdjointPlan adjoint_plan_;
  std::vector<double> spread_;  // constants, repeated for each lane
  std::vector<math::Operand> operands_;
  std::vector<double*> partials_;  // for each operand
  std::vector<Bound> bound_;
  std::vector<std::unique_ptr<DenseFunction::State>> states_;
  bool with_gradient_ = true;
  std::string message_;
  Span failed_at_;
};

}  // namespace kullback::tape
