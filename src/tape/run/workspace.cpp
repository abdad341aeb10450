#include "tape/run/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "math/instruction_set.hpp"
#include "math/positions.hpp"

namespace kullback::tape {

struct Workspace::Bound {
  const Instruction* instruction = nullptr;
  const TapeOperand* operands = nullptr;
  const math::Operand* resolved = nullptr;
  double* result = nullptr;
  double* result_adjoint = nullptr;
  double* scratch = nullptr;
  double* const* partials = nullptr;      // of densities: one for each operand, null where it is constant
  const LaneKernel* all_lanes = nullptr;  // of array functions: works on all lanes at once
  DenseFunction::State* state = nullptr;  // of a solver
};

namespace {

constexpr std::size_t kMaxOperands = 16;
constexpr std::size_t kMostSpread = std::size_t{1} << 14;  // numbers

std::size_t dense_size(const Tape& tape) {
  std::size_t most = 0;
  for (const Instruction& i : tape.instructions) {
    if (i.kind != OpKind::array && i.kind != OpKind::transform && i.kind != OpKind::solver) continue;
    std::size_t size = 2 * static_cast<std::size_t>(i.result_size);
    for (std::uint32_t j = 0; j < i.operand_count; ++j) {
      const TapeOperand& operand = tape.operands[i.first_operand + j];
      if (!operand.constant) size += 2 * std::size_t{operand.size};  // constants are used in place
    }
    most = std::max(most, size);
  }
  return most;
}

template <class Number>
struct Rows {
  Number* first;
  std::size_t stride;
};

struct RowCopy {
  Rows<const double> from;
  Rows<double> to;
  std::size_t rows;
  std::size_t size;
};

// Rows of a multiple of four numbers: a call of memmove for each would cost more than they do.
struct CopyByFours {
  typedef double Four __attribute__((vector_size(32), aligned(8)));
  KULLBACK_INLINE static void run(const RowCopy& copy) {
    for (std::size_t i = 0; i < copy.rows; ++i) {
      const double* from = copy.from.first + i * copy.from.stride;
      double* to = copy.to.first + i * copy.to.stride;
      for (std::size_t k = 0; k < copy.size; k += 4)
        *reinterpret_cast<Four*>(to + k) = *reinterpret_cast<const Four*>(from + k);
    }
  }
};

void copy_rows(Rows<const double> from, Rows<double> to, std::size_t rows, std::size_t size) {
  if (size % 4 == 0) return math::dispatch<CopyByFours>(RowCopy{from, to, rows, size});
  if (size == 1) {
    for (std::size_t i = 0; i < rows; ++i) to.first[i * to.stride] = from.first[i * from.stride];
    return;
  }
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(from.first + i * from.stride, size, to.first + i * to.stride);
}

// Numbers of partials of an operand that varies: one sum where it is one for all elements of a sum.
std::size_t partial_count(const Instruction& i, const math::Operand& operand) {
  return operand.is_broadcast() && i.kind == OpKind::density ? 1 : i.count;
}

}  // namespace

Workspace::~Workspace() = default;

std::size_t Workspace::bytes_per_lane(const Tape& tape) {
  std::size_t numbers = 2 * tape.slot_count + dense_size(tape);
  for (const Instruction& i : tape.instructions) numbers += i.scratch_size;
  return numbers * sizeof(double);
}

Workspace::Workspace(std::shared_ptr<const Tape> tape, std::size_t lanes)
    : tape_(std::move(tape)), lanes_(lanes) {
  values_.assign(tape_->slot_count * lanes_, 0.0);
  adjoints_.assign(tape_->slot_count * lanes_, 0.0);
  std::size_t scratch = 0;
  for (const Instruction& i : tape_->instructions) scratch += i.scratch_size * lanes_;
  scratch_.resize(scratch);
  dense_.resize(dense_size(*tape_) * lanes_);
  operands_.resize(tape_->operands.size());
  adjoint_plan_ = plan_adjoints(*tape_);
  resolve();
  partials_.resize(tape_->operands.size(), nullptr);
  scratch = 0;
  for (const Instruction& i : tape_->instructions) {
    bound_.push_back({&i, tape_->operands.data() + i.first_operand, operands_.data() + i.first_operand,
                      values_.data() + i.result * lanes_, adjoints_.data() + i.result * lanes_,
                      scratch_.data() + scratch, partials_.data() + i.first_operand, nullptr, nullptr});
    if (i.kind == OpKind::density || i.kind == OpKind::each_density) place_partials(bound_.back());
    if (i.kind == OpKind::array && lanes_ > 1) {
      unsigned varying = 0;
      for (std::uint32_t j = 0; j < i.operand_count; ++j)
        varying |= bound_.back().operands[j].constant ? 0U : 1U << j;
      bound_.back().all_lanes = find_lane_kernel(*static_cast<const math::ArrayOp*>(i.definition), varying);
    }
    if (i.kind == OpKind::solver) {
      states_.push_back(static_cast<const DenseFunction*>(i.definition)->make_state());
      bound_.back().state = states_.back().get();
    }
    scratch += i.scratch_size * lanes_;
  }
}

void Workspace::rebind() {
  adjoint_plan_ = plain_adjoints(*tape_);
  resolve();
}

void Workspace::resolve() {
  for (const auto& [slot, value] : tape_->presets)
    std::fill_n(values_.begin() + static_cast<long>(slot * lanes_), lanes_, value);
  for (std::size_t j = 0; j < operands_.size(); ++j) {
    const TapeOperand& o = tape_->operands[j];
    math::Operand resolved;
    resolved.step = o.step;
    if (o.constant) {
      resolved.value = tape_->constants_of(o);
    } else {
      const std::size_t base = o.gathered ? 0 : o.base * lanes_;
      resolved.value = values_.data() + base;
      resolved.adjoint = adjoints_.data() + base;
      if (o.gathered) resolved.index = tape_->indices.data() + o.base;
      resolved.assigns = adjoint_plan_.assigns[j];
    }
    operands_[j] = resolved;
  }
  if (lanes_ > 1) spread_constants();
}

// Constants of functions that work element by element, repeated for each lane, up to some number of them:
// more would leave the cache.
void Workspace::spread_constants() {
  std::map<std::pair<const double*, std::uint32_t>, std::size_t> places;  // of (first constant, count)
  const auto each_operand = [&](auto visit) {
    for (const Instruction& i : tape_->instructions) {
      if (i.kind != OpKind::elementwise && i.kind != OpKind::density && i.kind != OpKind::each_density)
        continue;
      for (std::uint32_t j = i.first_operand; j < i.first_operand + i.operand_count; ++j) {
        const TapeOperand& operand = tape_->operands[j];
        if (operand.constant && operand.step == 1) visit(operand, i.count, operands_[j]);
      }
    }
  };
  spread_.clear();
  each_operand([&](const TapeOperand& operand, std::uint32_t count, const math::Operand& resolved) {
    const std::size_t size = std::size_t{count} * lanes_;
    if (spread_.size() + size > kMostSpread) return;
    if (!places.try_emplace({tape_->constants_of(operand), count}, spread_.size()).second) return;
    spread_.resize(spread_.size() + size);
    math::copy_positions(resolved, {0, count, lanes_}, spread_.data() + spread_.size() - size);
  });
  each_operand([&](const TapeOperand& operand, std::uint32_t count, math::Operand& resolved) {
    const auto place = places.find({tape_->constants_of(operand), count});
    if (place == places.end()) return;
    resolved.value = spread_.data() + place->second;
    resolved.spread = true;
  });
}

void Workspace::place_partials(const Bound& bound) {
  const Instruction& i = *bound.instruction;
  double* next = bound.scratch;
  for (std::uint32_t j = 0; j < i.operand_count; ++j) {
    if (bound.operands[j].constant) continue;
    partials_[i.first_operand + j] = next;
    next += partial_count(i, bound.resolved[j]) * lanes_;
  }
}

bool Workspace::forward(const double* theta) { return forward(theta, lanes_); }
void Workspace::backward(double* gradient) { backward(gradient, lanes_); }

bool Workspace::forward(const double* theta, std::size_t stride, bool with_gradient) {
  with_gradient_ = with_gradient;
  if (stride == lanes_) {
    std::copy_n(theta, tape_->parameter_count * lanes_, values_.data());
  } else {
    copy_rows({theta, stride}, {values_.data(), lanes_}, tape_->parameter_count, lanes_);
  }
  message_.clear();
  for (const Bound& bound : bound_) {
    stop_if_asked();
    const Instruction& i = *bound.instruction;
    switch (i.kind) {
      case OpKind::elementwise:
        static_cast<const math::Elementwise*>(i.definition)
            ->forward({i.count, lanes_, bound.resolved, bound.result, nullptr});
        break;
      case OpKind::density:
        std::fill_n(bound.result, lanes_, 0.0);
        static_cast<const math::Density*>(i.definition)
            ->batch({i.count, lanes_, i.terms, bound.resolved, bound.result, bound.partials, false});
        break;
      case OpKind::each_density:
        static_cast<const math::Density*>(i.definition)
            ->batch({i.count, lanes_, i.terms, bound.resolved, bound.result, bound.partials, true});
        break;
      case OpKind::log_sum_exp: log_sum_exp_forward(log_sum_exp_call(bound)); break;
      case OpKind::packed: run_forward(packed_call(bound)); break;
      case OpKind::array:
      case OpKind::solver:
      case OpKind::transform: try { forward_dense(bound);
        } catch (const std::bad_alloc&) {
          throw;
        } catch (const Error&) {  // of the program: no draw can be evaluated
          throw;
        } catch (const std::exception& e) {
          message_ = e.what();
          failed_at_ = i.span;
          return false;
        }
        break;
    }
  }
  return true;
}

void Workspace::gather(const TapeOperand& operand, std::size_t lane, double* dense) const {
  if (operand.constant) {
    std::copy_n(tape_->constants_of(operand), operand.size, dense);
    return;
  }
  for (std::size_t i = 0; i < operand.size; ++i) {
    const std::size_t slot = operand.gathered ? tape_->indices[operand.base + i] : operand.base + i;
    dense[i] = values_[slot * lanes_ + lane];
  }
}

void Workspace::scatter_add(const TapeOperand& operand, std::size_t lane, const double* dense) {
  for (std::size_t i = 0; i < operand.size; ++i) {
    const std::size_t slot = operand.gathered ? tape_->indices[operand.base + i] : operand.base + i;
    adjoints_[slot * lanes_ + lane] += dense[i];
  }
}

namespace {

// Where an operand's numbers can be used in place: constants always, slots where they are contiguous and
// there is one lane.
bool in_place(const TapeOperand& operand, std::size_t lanes) {
  return operand.constant || (lanes == 1 && !operand.gathered);
}

}  // namespace

// Numbers of one lane, in place where they can be, else gathered at `next`; returns what is free after them.
double* Workspace::dense_arguments(const Bound& bound, std::size_t lane, double* next,
                                   math::DenseArgument* arguments) const {
  const Instruction& i = *bound.instruction;
  const math::Shape* shapes = tape_->shapes.data() + i.first_shape;
  for (std::uint32_t j = 0; j < i.operand_count; ++j) {
    const TapeOperand& operand = bound.operands[j];
    const double* data = bound.resolved[j].value;
    if (!in_place(operand, lanes_)) {
      gather(operand, lane, next);
      data = next;
      next += operand.size;
    }
    const math::Shape shape = i.kind == OpKind::array ? shapes[j] : math::Shape{operand.size, 1, 1};
    arguments[j] = {data, shape, !operand.constant};
  }
  return next;
}

// Operands with their lanes innermost, in place where they are contiguous.
LaneCall Workspace::lane_call(const Bound& bound, math::DenseArgument* arguments, double** adjoints) {
  const Instruction& i = *bound.instruction;
  double* next = dense_.data();
  for (std::uint32_t j = 0; j < i.operand_count; ++j) {
    const TapeOperand& operand = bound.operands[j];
    const math::Operand& resolved = bound.resolved[j];
    arguments[j] = {resolved.value, tape_->shapes[i.first_shape + j], !operand.constant};
    adjoints[j] = operand.constant ? nullptr : resolved.adjoint;
    if (operand.constant || !operand.gathered) continue;
    const std::size_t size = std::size_t{operand.size} * lanes_;
    for (std::size_t e = 0; e < operand.size; ++e)
      std::copy_n(resolved.value + resolved.index[e] * lanes_, lanes_, next + e * lanes_);
    arguments[j].data = next;
    adjoints[j] = next + size;
    std::fill_n(adjoints[j], size, 0.0);
    next += 2 * size;
  }
  return {lanes_,
          {arguments, i.operand_count},
          i.terms,
          with_gradient_,
          bound.result,
          bound.scratch,
          bound.result_adjoint,
          {adjoints, i.operand_count}};
}

void Workspace::scatter_lanes(const Bound& bound, double* const* adjoints) {
  for (std::uint32_t j = 0; j < bound.instruction->operand_count; ++j) {
    const TapeOperand& operand = bound.operands[j];
    if (operand.constant || !operand.gathered) continue;
    const math::Operand& resolved = bound.resolved[j];
    for (std::size_t e = 0; e < operand.size; ++e) {
      double* to = resolved.adjoint + resolved.index[e] * lanes_;
      for (std::size_t k = 0; k < lanes_; ++k) to[k] += adjoints[j][e * lanes_ + k];
    }
  }
}

void Workspace::forward_dense(const Bound& bound) {
  const Instruction& i = *bound.instruction;
  if (bound.all_lanes != nullptr) {
    math::DenseArgument arguments[kMaxOperands];
    double* adjoints[kMaxOperands];
    return bound.all_lanes->forward(lane_call(bound, arguments, adjoints));
  }
  const math::Shape* shapes = tape_->shapes.data() + i.first_shape;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    math::DenseArgument arguments[kMaxOperands];
    double* next = dense_arguments(bound, lane, dense_.data(), arguments);
    double* result = lanes_ == 1 ? bound.result : next;
    double* scratch = bound.scratch + lane * i.scratch_size;
    if (i.kind == OpKind::array) {
      math::ArrayCall call;
      call.arguments = {arguments, i.operand_count};
      call.terms = i.terms;
      call.result = result;
      call.scratch = scratch;
      static_cast<const math::ArrayOp*>(i.definition)->forward(call);
    } else if (i.kind == OpKind::solver) {
      static_cast<const DenseFunction*>(i.definition)
          ->forward({arguments[0].data, result, scratch}, *bound.state);
    } else {
      math::TransformCall call;
      call.shape = shapes[0];
      call.free = arguments[0].data;
      call.bounds = {arguments + 1, i.operand_count - 1};
      call.value = result;
      result[i.result_size - 1] = 0;
      call.log_jacobian = result + i.result_size - 1;
      call.scratch = scratch;
      math::constrain(*static_cast<const math::TransformDef*>(i.definition), call);
    }
    if (lanes_ > 1) {
      for (std::size_t r = 0; r < i.result_size; ++r) bound.result[r * lanes_ + lane] = result[r];
    }
  }
}

void Workspace::backward_dense(const Bound& bound) {
  const Instruction& i = *bound.instruction;
  if (bound.all_lanes != nullptr) {
    math::DenseArgument arguments[kMaxOperands];
    double* adjoints[kMaxOperands];
    bound.all_lanes->backward(lane_call(bound, arguments, adjoints));
    return scatter_lanes(bound, adjoints);
  }
  const math::Shape* shapes = tape_->shapes.data() + i.first_shape;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    math::DenseArgument arguments[kMaxOperands];
    double* adjoints[kMaxOperands] = {};
    double* next = dense_arguments(bound, lane, dense_.data(), arguments);
    for (std::uint32_t j = 0; j < i.operand_count; ++j) {
      const TapeOperand& operand = bound.operands[j];
      if (operand.constant) continue;
      adjoints[j] = bound.resolved[j].adjoint;
      if (in_place(operand, lanes_)) continue;
      adjoints[j] = next;
      std::fill_n(next, operand.size, 0.0);
      next += operand.size;
    }
    double* result = bound.result;
    double* result_adjoint = bound.result_adjoint;
    if (lanes_ > 1) {
      result = next;
      result_adjoint = next + i.result_size;
      for (std::size_t r = 0; r < i.result_size; ++r) {
        result[r] = bound.result[r * lanes_ + lane];
        result_adjoint[r] = bound.result_adjoint[r * lanes_ + lane];
      }
    }
    double* scratch = bound.scratch + lane * i.scratch_size;
    if (i.kind == OpKind::array) {
      math::ArrayCall call;
      call.arguments = {arguments, i.operand_count};
      call.terms = i.terms;
      call.result = result;
      call.scratch = scratch;
      call.result_adjoint = result_adjoint;
      call.adjoints = {adjoints, i.operand_count};
      static_cast<const math::ArrayOp*>(i.definition)->backward(call);
    } else if (i.kind == OpKind::solver) {
      static_cast<const DenseFunction*>(i.definition)
          ->backward({arguments[0].data, result, scratch, result_adjoint, adjoints[0]}, *bound.state);
    } else {
      math::TransformCall call;
      call.shape = shapes[0];
      call.free = arguments[0].data;
      call.bounds = {arguments + 1, i.operand_count - 1};
      call.value = result;
      call.scratch = scratch;
      call.value_adjoint = result_adjoint;
      call.log_jacobian_adjoint = result_adjoint[i.result_size - 1];
      call.free_adjoint = adjoints[0];
      call.bound_adjoints = {adjoints + 1, i.operand_count - 1};
      math::constrain_backward(*static_cast<const math::TransformDef*>(i.definition), call);
    }
    for (std::uint32_t j = 0; j < i.operand_count; ++j) {
      if (adjoints[j] != nullptr && !in_place(bound.operands[j], lanes_))
        scatter_add(bound.operands[j], lane, adjoints[j]);
    }
  }
}

// adjoint[at(e)] += up[e] * partial[e], where up is one for all elements of a sum.
void Workspace::backward_density(const Bound& bound) {
  const Instruction& i = *bound.instruction;
  const bool each = i.kind == OpKind::each_density;
  for (std::uint32_t j = 0; j < i.operand_count; ++j) {
    if (bound.operands[j].constant) continue;
    const math::Operand& operand = bound.resolved[j];
    math::add_scaled_positions(operand, {0, partial_count(i, operand), lanes_},
                               {bound.partials[j], bound.result_adjoint, each});
  }
}

namespace {

// to[k] += weight * from[k] for each lane of each element; one lane would only pay for the preparations.
KULLBACK_VECTORIZE void add_lanes(double weight, const double* from, std::size_t count, std::size_t lanes,
                                  double* to) {
  for (std::size_t e = 0; e < count; ++e, from += lanes) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < lanes; ++k) to[k] += weight * from[k];
  }
}
KULLBACK_VECTORIZE void add_everywhere(double weight, std::size_t n, double* to) {
  for (std::size_t p = 0; p < n; ++p) to[p] += weight;
}

}  // namespace

void Workspace::log_density(double* result) const {
  std::fill_n(result, lanes_, tape_->target_constant);
  for (const TargetRange& range : tape_->target) {
    const double* value = values_.data() + range.slot * lanes_;
    if (lanes_ == 1) {
      for (std::size_t e = 0; e < range.count; ++e) *result += range.weight * value[e];
    } else {
      add_lanes(range.weight, value, range.count, lanes_, result);
    }
  }
}

void Workspace::backward(double* gradient, std::size_t stride) {
  clear_adjoints();
  for (const TargetRange& range : tape_->target) {
    double* adjoint = adjoints_.data() + range.slot * lanes_;
    if (lanes_ == 1) {
      for (std::size_t e = 0; e < range.count; ++e) adjoint[e] += range.weight;
    } else {
      add_everywhere(range.weight, range.count * lanes_, adjoint);
    }
  }
  sweep_back(gradient, stride);
}

void Workspace::clear_adjoints() {
  for (const auto& [slot, count] : adjoint_plan_.zeros)
    std::fill_n(adjoints_.data() + slot * lanes_, count * lanes_, 0.0);
}

void Workspace::outputs(double* result) const {
  for (const std::uint32_t slot : tape_->outputs)
    result = std::copy_n(values_.data() + slot * lanes_, lanes_, result);
}

void Workspace::backward_outputs(const double* weights, double* gradient) {
  clear_adjoints();
  for (const std::uint32_t slot : tape_->outputs) {
    for (std::size_t k = 0; k < lanes_; ++k) adjoints_[slot * lanes_ + k] += *weights++;
  }
  sweep_back(gradient, lanes_);
}

void Workspace::sweep_back(double* gradient, std::size_t stride) {
  for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound) {
    stop_if_asked();
    const Instruction& i = *bound->instruction;
    switch (i.kind) {
      case OpKind::elementwise:
        static_cast<const math::Elementwise*>(i.definition)
            ->backward({i.count, lanes_, bound->resolved, bound->result, bound->result_adjoint});
        break;
      case OpKind::density:
      case OpKind::each_density: backward_density(*bound); break;
      case OpKind::log_sum_exp: log_sum_exp_backward(log_sum_exp_call(*bound)); break;
      case OpKind::packed: run_backward(packed_call(*bound)); break;
      case OpKind::array:
      case OpKind::solver:
      case OpKind::transform: backward_dense(*bound); break;
    }
  }
  if (stride == lanes_) {
    std::copy_n(adjoints_.data(), tape_->parameter_count * lanes_, gradient);
  } else {
    copy_rows({adjoints_.data(), lanes_}, {gradient, stride}, tape_->parameter_count, lanes_);
  }
}

LogSumExpCall Workspace::log_sum_exp_call(const Bound& bound) const {
  const Instruction& i = *bound.instruction;
  return {i.operand_count,     i.count, lanes_, bound.resolved, bound.result, bound.scratch,
          bound.result_adjoint};
}

PackedCall Workspace::packed_call(const Bound& bound) {
  return {&tape_->packed[bound.instruction->first_shape], lanes_, values_.data(), adjoints_.data(),
          bound.scratch};
}

bool Workspace::guards_hold(std::size_t lane) const {
  return std::all_of(tape_->guards.begin(), tape_->guards.end(), [&](const Guard& guard) {
    const double a = values_[guard.left * lanes_ + lane];
    const double b = values_[guard.right * lanes_ + lane];
    const bool outcome = guard.relation == Guard::Relation::less         ? a < b
                         : guard.relation == Guard::Relation::less_equal ? a <= b
                                                                         : a == b;
    return outcome == guard.outcome;
  });
}

std::uint64_t Workspace::first_not_finite(std::size_t lane) const {
  const auto finite = [&](std::uint32_t slot) { return std::isfinite(values_[slot * lanes_ + lane]); };
  for (std::uint64_t n = 0; n < tape_->instructions.size(); ++n) {
    const Instruction& i = tape_->instructions[n];
    if (i.kind == OpKind::packed) {
      const std::vector<MicroOp>& ops = tape_->packed[i.first_shape].ops;
      for (std::uint64_t m = 0; m < ops.size(); ++m) {
        const std::uint32_t results = reads_of(tape_->packed[i.first_shape], ops[m]).results;
        for (std::uint32_t r = 0; r < results; ++r) {
          if (!finite(ops[m].result + r)) return (m + 1) << 32 | n;
        }
      }
      continue;
    }
    for (std::uint32_t r = 0; r < i.result_size; ++r) {
      if (!finite(i.result + r)) return n;
    }
  }
  return tape_->instructions.size();
}

}  // namespace kullback::tape
