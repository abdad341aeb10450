#include "tape/record/builder.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "tape/record/container_size.hpp"
#include "tape/record/repeat.hpp"

namespace kullback::tape {

namespace {

bool any_varies(std::span<const Id> ids) { return !std::all_of(ids.begin(), ids.end(), is_constant); }

bool all_constant(const OperandList& operands) {
  return std::none_of(operands.begin(), operands.end(), any_varies);
}

// Where constants are dropped, the arguments that are autodiff by type; what varies always is.
unsigned terms_varying(math::Terms terms, unsigned varying) {
  return terms.normalized ? varying : terms.varying | varying;
}

}  // namespace

Id Builder::constant(double value) {
  constants_.push_back(value);
  if (tracks_rows()) constant_tags_.push_back(control_);
  return static_cast<Id>(constants_.size() - 1) | kConstantBit;
}

Id Builder::add_parameter(double value) {
  ++parameter_count_;
  const Id id = new_slots(1);
  values_[id] = value;
  return id;
}

double Builder::value(Id id) const { return is_constant(id) ? constants_[id & ~kConstantBit] : values_[id]; }

Ids Builder::shared_constants(std::vector<double> values) {
  if (tracks_rows()) return constants(values);
  if (constants_.size() + values.size() >= kConstantBit) throw TraceTooLarge{};
  Ids ids(values.size());
  if (values.empty()) return {};
  const std::size_t first = constants_.adopt(std::make_shared<const std::vector<double>>(std::move(values)));
  std::iota(ids.begin(), ids.end(), static_cast<Id>(first) | kConstantBit);
  return ids;
}

std::optional<Id> Builder::share_constants_of(const Builder& other, std::span<const Id> ids) {
  if (ids.empty() || !is_constant(ids.front()) || !is_run(ids)) return {};
  auto piece = other.constants_.piece(ids.front() & ~kConstantBit, ids.size());
  if (piece == nullptr) return {};
  return static_cast<Id>(constants_.adopt(std::move(piece))) | kConstantBit;
}

const double* Builder::numbers(std::span<const Id> ids, std::vector<double>& copy) const {
  // What is only read needs no values that can be written.
  return Record{operands_, pool_, shapes_, constants_, const_cast<double*>(values_.data())}.numbers(ids,
                                                                                                    copy);
}

Id Builder::new_slots(std::size_t count) {
  values_.resize(values_.size() + count);
  if (tracks_rows()) {
    slot_tags_.resize(values_.size(), control_);
    pinned_tags_.resize(values_.size(), control_);
  }
  return static_cast<Id>(values_.size() - count);
}

std::size_t Builder::bytes() const {
  return instructions_.size() * sizeof(RawInstruction) + operands_.size() * sizeof(RawOperand) +
         (pool_.size() + pool_.shared_size()) * sizeof(Id) +
         (values_.size() + constants_.own_size()) * sizeof(double) + shapes_.size() * sizeof(math::Shape) +
         guards_.size() * sizeof(Guard);
}

// Many data are not listed again.
void Builder::record_operand(std::span<const Id> ids, const IdPool::SharedIds& owner) {
  constexpr std::size_t kMany = 1024;
  const bool stays = owner != nullptr && ids.size() >= kMany && !tracks_rows() && !any_varies(ids);
  const auto first = stays ? pool_.share(owner) : static_cast<std::uint32_t>(pool_.size());
  if (!stays) pool_.insert(pool_.end(), ids.begin(), ids.end());
  operands_.push_back({first, static_cast<std::uint32_t>(ids.size())});
}

RawInstruction& Builder::record(OpKind kind, const void* definition, const OperandList& operands) {
  if (bytes() > limit_ || pool_.is_full()) throw TraceTooLarge{};
  RawInstruction instruction;
  instruction.kind = kind;
  instruction.definition = definition;
  instruction.first_operand = static_cast<std::uint32_t>(operands_.size());
  instruction.operand_count = static_cast<std::uint32_t>(operands.size());
  instruction.first_shape = static_cast<std::uint32_t>(shapes_.size());
  instruction.span = span_;
  for (std::size_t j = 0; j < operands.size(); ++j) record_operand(operands[j], operands.owner(j));
  instructions_.push_back(instruction);
  return instructions_.back();
}

Ids Builder::elementwise(const math::Elementwise& f, const OperandList& operands, std::size_t count) {
  std::array<double, 4> x{};
  std::vector<double> results(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < operands.size(); ++j)
      x[j] = value(operands[j][operands[j].size() == 1 ? 0 : i]);
    results[i] = f.value(x.data());
  }
  Ids ids(count);
  if (all_constant(operands)) {
    ids = constants(results);
    tag_elements(operands, ids);
    return ids;
  }
  const Id first = new_slots(count);
  RawInstruction& instruction = record(OpKind::elementwise, &f, operands);
  instruction.count = instruction.result_size = static_cast<std::uint32_t>(count);
  instruction.result = first;
  std::copy(results.begin(), results.end(), values_.begin() + first);
  for (std::size_t i = 0; i < count; ++i) ids[i] = first + static_cast<Id>(i);
  tag_elements(operands, ids);
  return ids;
}

Id Builder::elementwise(const math::Elementwise& f, std::span<const Id> operands) {
  const Id known = tracks_rows() ? RecentOperations::kNone : recent_.find(f, operands);
  if (known != RecentOperations::kNone) return known;
  std::array<double, 4> x{};
  bool varies = false;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    x[j] = value(operands[j]);
    varies |= !is_constant(operands[j]);
  }
  const double result = f.value(x.data());
  if (!varies) return constant(result, tag(operands));
  const Id slot = new_slots(1);
  if (tracks_rows()) join_tag(slot, tag(operands));
  values_[slot] = result;
  recent_.add(f, operands, slot);
  RawInstruction& instruction = record(OpKind::elementwise, &f, {});
  instruction.operand_count = static_cast<std::uint32_t>(operands.size());
  instruction.result = slot;
  for (const Id id : operands) {
    operands_.push_back({static_cast<std::uint32_t>(pool_.size()), 1});
    pool_.push_back(id);
  }
  return slot;
}

Id Builder::density(const math::Density& f, math::Terms terms, const OperandList& operands,
                    std::size_t count) {
  unsigned varying = 0;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    if (any_varies(operands[j])) varying |= 1U << j;
  }
  terms.varying = terms_varying(terms, varying);
  double sum = 0;
  std::array<double, 16> x{};
  if (terms.normalized || terms.varying != 0) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < operands.size(); ++j)
        x[j] = value(operands[j][operands[j].size() == 1 ? 0 : i]);
      sum += f.value(x.data(), terms, nullptr);
    }
  }
  if (varying == 0 || count == 0) {
    const Id id = constant(sum);
    tag_all(operands, Ids{id}, {});
    return id;
  }
  const Id result = new_slots(1);
  RawInstruction& instruction = record(OpKind::density, &f, operands);
  instruction.count = static_cast<std::uint32_t>(count);
  instruction.terms = terms;
  instruction.result = result;
  values_[result] = sum;
  tag_all(operands, Ids{result}, {});
  return result;
}

Id Builder::density(const math::Density& f, math::Terms terms, std::span<const Id> operands) {
  std::array<double, 16> x{};
  unsigned varying = 0;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    x[j] = value(operands[j]);
    if (!is_constant(operands[j])) varying |= 1U << j;
  }
  terms.varying = terms_varying(terms, varying);
  const bool wanted = terms.normalized || terms.varying != 0;
  const double result = wanted ? f.value(x.data(), terms, nullptr) : 0.0;
  if (varying == 0) return constant(result, tag(operands));
  const Id slot = new_slots(1);
  if (tracks_rows()) join_tag(slot, tag(operands));
  values_[slot] = result;
  RawInstruction& instruction = record(OpKind::density, &f, {});
  instruction.operand_count = static_cast<std::uint32_t>(operands.size());
  instruction.terms = terms;
  instruction.result = slot;
  for (const Id id : operands) {
    operands_.push_back({static_cast<std::uint32_t>(pool_.size()), 1});
    pool_.push_back(id);
  }
  return slot;
}

Ids Builder::array_op(const math::ArrayOp& f, math::Terms terms, const OperandList& operands,
                      std::span<const math::Shape> shapes, math::Shape* result_shape) {
  std::vector<std::vector<double>> copies(operands.size());
  std::vector<math::DenseArgument> arguments;
  unsigned varying = 0;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    const bool varies = any_varies(operands[j]);
    arguments.push_back({numbers(operands[j], copies[j]), shapes[j], varies});
    if (varies) varying |= 1U << j;
  }
  terms.varying = terms_varying(terms, varying);
  *result_shape = f.result_shape(arguments);
  std::vector<double> results(checked_count({result_shape->size()}));
  std::vector<double> scratch(f.scratch_size != nullptr ? f.scratch_size(arguments) : 0);
  math::ArrayCall call;
  call.arguments = arguments;
  call.terms = terms;
  call.result = results.data();
  call.scratch = scratch.data();
  f.forward(call);
  Ids ids(results.size());
  if (varying == 0) {
    ids = constants(results);
    tag_all(operands, ids, *result_shape);
    return ids;
  }
  const Id first = new_slots(results.size());
  RawInstruction& instruction = record(OpKind::array, &f, operands);
  instruction.terms = terms;
  instruction.result = first;
  instruction.result_size = static_cast<std::uint32_t>(results.size());
  shapes_.insert(shapes_.end(), shapes.begin(), shapes.end());
  std::copy(results.begin(), results.end(), values_.begin() + first);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = first + static_cast<Id>(i);
  tag_all(operands, ids, *result_shape);
  return ids;
}

Ids Builder::transform(const math::TransformDef& f, const Ids& free, std::span<const Ids> bounds,
                       math::Shape shape, Id* log_jacobian) {
  std::vector<double> free_copy;
  const double* free_numbers = numbers(free, free_copy);
  std::vector<std::vector<double>> copies(bounds.size());
  std::vector<math::DenseArgument> arguments;
  for (std::size_t j = 0; j < bounds.size(); ++j)
    arguments.push_back({numbers(bounds[j], copies[j]), {bounds[j].size(), 1, 1}, any_varies(bounds[j])});
  std::vector<double> results(shape.size() + 1);
  std::vector<double> scratch(math::scratch_size(f, shape));
  math::TransformCall call;
  call.shape = shape;
  call.bounds = arguments;
  call.free = free_numbers;
  call.value = results.data();
  call.log_jacobian = &results.back();
  call.scratch = scratch.data();
  math::constrain(f, call);
  std::vector<Ids> operands{free};
  operands.insert(operands.end(), bounds.begin(), bounds.end());
  if (all_constant(operands)) {
    Ids ids = constants(results);
    tag_all(operands, ids, {});
    *log_jacobian = ids.back();
    ids.pop_back();
    return ids;
  }
  const Id first = new_slots(results.size());
  RawInstruction& instruction = record(OpKind::transform, &f, operands);
  instruction.result = first;
  instruction.result_size = static_cast<std::uint32_t>(results.size());
  shapes_.push_back(shape);
  std::copy(results.begin(), results.end(), values_.begin() + first);
  Ids ids(shape.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = first + static_cast<Id>(i);
  *log_jacobian = first + static_cast<Id>(shape.size());
  tag_all(operands, ids, shape);
  return ids;
}

Ids Builder::solve(std::shared_ptr<const DenseFunction> f, const Ids& argument) {
  std::vector<double> copy;
  const double* dense = numbers(argument, copy);
  std::vector<double> results(f->result_size());
  std::vector<double> scratch(f->scratch_size());
  f->forward({dense, results.data(), scratch.data()}, *f->make_state());
  Ids ids(results.size());
  if (!any_varies(argument)) {
    ids = constants(results);
    tag_all(OperandList(argument), ids, {});
    return ids;
  }
  const Id first = new_slots(results.size());
  RawInstruction& instruction = record(OpKind::solver, f.get(), OperandList(argument));
  instruction.result = first;
  instruction.result_size = static_cast<std::uint32_t>(results.size());
  solvers_.push_back(std::move(f));
  std::copy(results.begin(), results.end(), values_.begin() + first);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = first + static_cast<Id>(i);
  tag_all(OperandList(argument), ids, {});
  return ids;
}

bool Builder::compare(Guard::Relation relation, Id left, Id right) {
  constexpr std::size_t kLookEvery = std::size_t{1} << 16;  // a loop may compare without recording anything
  const bool outcome = holds(relation, value(left), value(right));
  if (is_constant(left) && is_constant(right)) return outcome;
  if (guards_.size() % kLookEvery == kLookEvery - 1 && bytes() > limit_) throw TraceTooLarge{};
  guards_.push_back({relation, left, right, outcome});
  return outcome;
}

const RawInstruction* Builder::producer(Id id) const {
  if (is_constant(id) || id < parameter_count_) return nullptr;
  const auto after = std::upper_bound(instructions_.begin(), instructions_.end(), id,
                                      [](Id slot, const RawInstruction& r) { return slot < r.result; });
  return after == instructions_.begin() ? nullptr : &*std::prev(after);
}

void Builder::start_afresh(std::size_t constants) {
  constants_.resize(constants);
  parameter_count_ = 0;
  values_.clear();
  instructions_.clear();
  operands_.clear();
  pool_.clear();
  recent_.clear();
  shapes_.clear();
  guards_.clear();
  target_.clear();
  target_spans_.clear();
  outputs_.clear();
  solvers_.clear();
}

bool Builder::replay(const double* theta) {
  std::copy_n(theta, parameter_count_, values_.begin());
  const Record record{operands_, pool_, shapes_, constants_, values_.data()};
  try {
    for (const RawInstruction& r : instructions_) {
      if (!repeat(record, r)) return false;
    }
  } catch (const std::logic_error&) {  // a function refuses its arguments
    return false;
  }
  return std::all_of(guards_.begin(), guards_.end(), [this](const Guard& g) {
    return holds(g.relation, value(g.left), value(g.right)) == g.outcome;
  });
}

void Builder::keep_target(const std::vector<bool>& kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    if (!kept[i]) continue;
    target_[next] = target_[i];
    target_spans_[next] = target_spans_[i];
    ++next;
  }
  target_.resize(next);
  target_spans_.resize(next);
}

}  // namespace kullback::tape
