// Records a program's operations while it is traced, and computes each at the trace point at once: what is
// constant folds, and branches see numbers. Instructions are flat: operands are lists of Ids in one pool.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.hpp"
#include "math/array_op.hpp"
#include "math/distribution.hpp"
#include "math/elementwise.hpp"
#include "math/transform.hpp"
#include "tape/record/constants.hpp"
#include "tape/record/dense_function.hpp"
#include "tape/record/id_pool.hpp"
#include "tape/record/recent_operations.hpp"
#include "tape/record/row_tag.hpp"
#include "tape/record/value.hpp"

namespace kullback::tape {

// The last three exist on tapes only: many densities that are numbers of their own, many log_sum_exp of a few
// numbers, and many small operations.
enum class OpKind : std::uint8_t {
  elementwise,
  density,
  array,
  transform,
  solver,
  each_density,
  log_sum_exp,
  packed
};

struct RawOperand {
  std::uint32_t first = 0;  // in the pool of ids
  std::uint32_t size = 0;   // 1 (for all elements) or the instruction's count; of array ops: its shape's size
};

struct RawInstruction {
  OpKind kind = OpKind::elementwise;
  const void* definition = nullptr;  // Elementwise, Density, ArrayOp, TransformDef or DenseFunction
  math::Terms terms;
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
  std::uint32_t count = 1;  // elements
  Id result = 0;            // first of result_size slots
  std::uint32_t result_size = 1;
  std::uint32_t first_shape =
      0;      // array ops and transforms: a Shape per operand (transforms: of the value first)
  Span span;  // the statement
};

// A comparison of numbers that depend on parameters, as it came out at the trace point. Where it comes out
// differently, the tape is that of another program. Guards are in the order of the program.
struct Guard {
  enum class Relation : std::uint8_t { less, less_equal, equal };
  Relation relation = Relation::less;
  Id left = 0;
  Id right = 0;
  bool outcome = false;
};

struct Trace;

// The operands of an operation: lists of ids, where they lie.
class OperandList final {
 public:
  using Spans = std::vector<std::span<const Id>>;
  using Owners = std::vector<IdPool::SharedIds>;

  OperandList() = default;
  // `owners`: of each list, null where it will not last.
  OperandList(Spans lists, Owners owners) : lists_(std::move(lists)), owners_(std::move(owners)) {}
  OperandList(std::span<const Ids> lists) : lists_(lists.begin(), lists.end()) {}
  OperandList(const std::vector<Ids>& lists) : OperandList(std::span<const Ids>(lists)) {}
  template <std::size_t kCount>
  OperandList(const std::array<Ids, kCount>& lists) : OperandList(std::span<const Ids>(lists)) {}
  explicit OperandList(const Ids& only) : lists_{std::span<const Id>(only)} {}

  std::size_t size() const { return lists_.size(); }
  std::span<const Id> operator[](std::size_t j) const { return lists_[j]; }
  IdPool::SharedIds owner(std::size_t j) const { return owners_.empty() ? nullptr : owners_[j]; }
  Spans::const_iterator begin() const { return lists_.begin(); }
  Spans::const_iterator end() const { return lists_.end(); }

 private:
  Spans lists_;
  Owners owners_;
};

// Thrown while recording, when the trace has more bytes than the limit.
struct TraceTooLarge {};

class Builder final {
 public:
  Id constant(double value);
  // Many constants, which copies of the builder share.
  Ids shared_constants(std::vector<double> values);
  // The first constant of those, of another builder, that this one shares from here on; none where they are
  // not one piece of memory there.
  std::optional<Id> share_constants_of(const Builder& other, std::span<const Id> ids);
  // Copies made later share the constants that are here.
  void share_constants() { constants_.share(); }
  Id add_parameter(double value);  // before any instruction
  std::size_t parameter_count() const { return parameter_count_; }
  double value(Id id) const;

  // f element by element; operands of size 1 serve all elements.
  Ids elementwise(const math::Elementwise& f, const OperandList& operands, std::size_t count);
  Id elementwise(const math::Elementwise& f, std::span<const Id> operands);
  Id density(const math::Density& f, math::Terms terms, std::span<const Id> operands);  // of one element
  // The sum over `count` elements.
  Id density(const math::Density& f, math::Terms terms, const OperandList& operands, std::size_t count);
  Ids array_op(const math::ArrayOp& f, math::Terms terms, const OperandList& operands,
               std::span<const math::Shape> shapes, math::Shape* result_shape);
  // Constrained numbers; the log-Jacobian's id is added to the target where wanted.
  Ids transform(const math::TransformDef& f, const Ids& free, std::span<const Ids> bounds, math::Shape shape,
                Id* log_jacobian);
  // A solver; constants where no argument depends on parameters.
  Ids solve(std::shared_ptr<const DenseFunction> f, const Ids& argument);
  bool compare(Guard::Relation relation, Id left, Id right);

  void add_output(Id id) { outputs_.push_back(id); }  // of a callback's tape
  void add_target(Id id);
  void set_span(Span span) { span_ = span; }
  void end_declarations() {
    first_after_declarations_ = static_cast<Id>(values_.size());
    recent_.clear();
  }
  Span span() const { return span_; }

  void set_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t bytes() const;  // of what is recorded

  // Keeps the first `constants` constants and nothing else: an interpreter's memory does not grow from draw
  // to draw.
  void start_afresh(std::size_t constants);
  // Repeats what was recorded at other parameters: value(id) is then that at theta. False, with values that
  // mean nothing, where a comparison comes out differently, a function refuses its arguments, or a density is
  // NaN.
  bool replay(const double* theta);
  // Keeps the terms of the target that are marked: a statement's own contribution.
  void keep_target(const std::vector<bool>& kept);

  // ---- rows of the data (builder_rows.cpp) ----
  // From here on every number knows its row. A constant made of all rows (a mean) belongs to none.
  void track_rows(std::size_t count) { row_count_ = count; }
  bool tracks_rows() const { return row_count_ > 0; }
  std::size_t row_count() const { return row_count_; }
  RowTag tag(Id id) const;
  RowTag tag(std::span<const Id> ids) const;
  void tag_parameter(Id id, RowTag tag) { slot_tags_[id] = tag; }
  Id constant(double value, RowTag tag);
  // The same numbers, belonging to these rows too; one tag may serve all.
  Ids tagged(const Ids& ids, std::span<const RowTag> tags);
  RowTag normalized(RowTag tag) const;  // none where it covers all rows
  // The rows that decide whether what is recorded now is recorded at all.
  RowTag control() const { return control_; }
  void set_control(RowTag tag) { control_ = tag; }
  const std::vector<RowTag>& constant_tags() const { return constant_tags_; }
  // Rows that a slot belongs to for other reasons than its operands: control, or an index.
  const std::vector<RowTag>& pinned_tags() const { return pinned_tags_; }

  // ---- what was recorded ----
  const std::vector<RawInstruction>& instructions() const { return instructions_; }
  const std::vector<RawOperand>& operands() const { return operands_; }
  const IdPool& pool() const { return pool_; }
  const std::vector<math::Shape>& shapes() const { return shapes_; }
  const std::vector<Guard>& guards() const { return guards_; }
  // Recorded while the parameters were declared: a part of a constraint's transform.
  bool is_declaration(const RawInstruction& r) const { return r.result < first_after_declarations_; }
  const RawInstruction* producer(Id id) const;  // null: a constant or a parameter
  const Ids& target() const { return target_; }
  const Ids& outputs() const { return outputs_; }
  const std::vector<std::shared_ptr<const DenseFunction>>& solvers() const { return solvers_; }
  const std::vector<Span>& target_spans() const { return target_spans_; }  // the statement of each term
  const Constants& constants() const { return constants_; }
  // The numbers of a list: where they lie side by side among shared constants there, else copied.
  const double* numbers(std::span<const Id> ids, std::vector<double>& copy) const;
  std::span<const Id> ids_of(const RawOperand& operand) const {
    return pool_.list(operand.first, operand.size);
  }
  const std::vector<double>& values() const { return values_; }

 private:
  friend Trace make_trace(Builder builder);
  Id new_slots(std::size_t count);
  void record_operand(std::span<const Id> ids, const IdPool::SharedIds& owner);
  RawInstruction& record(OpKind kind, const void* definition, const OperandList& operands);
  Ids constants(std::span<const double> values);
  void tag_elements(const OperandList& operands, const Ids& results);
  void tag_all(const OperandList& operands, const Ids& results, const math::Shape& shape);
  void join_tag(Id id, RowTag tag);

  std::size_t parameter_count_ = 0;
  Constants constants_;
  std::vector<double> values_;
  std::vector<RawInstruction> instructions_;
  std::vector<RawOperand> operands_;
  IdPool pool_;
  RecentOperations recent_;
  std::vector<math::Shape> shapes_;
  std::vector<Guard> guards_;
  Ids target_;
  Ids outputs_;
  std::vector<std::shared_ptr<const DenseFunction>> solvers_;
  std::vector<Span> target_spans_;
  Span span_;
  Id first_after_declarations_ = 0;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  std::size_t row_count_ = 0;  // 0: rows are not tracked, the vectors below are empty
  RowTag control_;
  std::vector<RowTag> constant_tags_;
  std::vector<RowTag> slot_tags_;
  std::vector<RowTag> pinned_tags_;
};

}  // namespace kullback::tape
