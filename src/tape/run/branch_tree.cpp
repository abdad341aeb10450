// The numbers of slots agree among all ways through a node: until there, the same operations were recorded.
#include "tape/run/branch_tree.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tape/record/repeat.hpp"

namespace kullback::tape {

// A recorded program, and which of its operations the nodes on its way compute.
class BranchTree::Recorded final {
 public:
  explicit Recorded(const Builder& builder) : builder_(builder), is_computed_(builder.instructions().size()) {
    producer_.assign(builder.values().size(), kNone);
    for (std::uint32_t i = 0; i < is_computed_.size(); ++i) {
      const RawInstruction& r = builder.instructions()[i];
      std::fill_n(producer_.begin() + r.result, r.result_size, i);
    }
  }

  const Builder& builder() const { return builder_; }

  void note_computed(const Code& code) {
    for (const RawInstruction& r : code.instructions) is_computed_[producer_[r.result]] = true;
  }

  // The operations behind these numbers that are not computed yet, in order; they count as computed then.
  std::vector<std::uint32_t> take_operations(const Guard& guard) {
    std::vector<std::uint32_t> taken;
    const auto need = [&](Id id) {
      if (is_constant(id) || producer_[id] == kNone || is_computed_[producer_[id]]) return;
      is_computed_[producer_[id]] = true;
      taken.push_back(producer_[id]);
    };
    need(guard.left);
    need(guard.right);
    for (std::size_t next = 0; next < taken.size(); ++next) {
      const RawInstruction& r = builder_.instructions()[taken[next]];
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const RawOperand& operand = builder_.operands()[r.first_operand + j];
        for (const Id id : builder_.ids_of(operand)) need(id);
      }
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }

 private:
  const Builder& builder_;
  std::vector<std::uint32_t> producer_;  // by slot
  std::vector<bool> is_computed_;        // by instruction
};

namespace {

std::size_t shape_count(const RawInstruction& r) {
  return r.kind == OpKind::array ? r.operand_count : r.kind == OpKind::transform ? 1 : 0;
}

}  // namespace

std::size_t BranchTree::bytes_of(const Node& node) {
  std::size_t bytes = sizeof node;
  if (!node.code) return bytes;
  const Code& code = *node.code;
  return bytes + sizeof code + code.instructions.size() * sizeof(RawInstruction) +
         code.operands.size() * sizeof(RawOperand) + code.pool.size() * sizeof(Id) +
         code.shapes.size() * sizeof(math::Shape);
}

Id BranchTree::own_id(Id id, const Builder& builder) {
  if (!is_constant(id) || (shares_data_ && (id & ~kConstantBit) < constants_.common_size())) return id;
  const double value = builder.value(id);
  const auto [known, is_new] = constant_ids_.try_emplace(std::bit_cast<std::uint64_t>(value),
                                                         static_cast<Id>(constants_.size()) | kConstantBit);
  if (is_new) constants_.push_back(value);
  return known->second;
}

bool BranchTree::is_same(const Guard& known, const Guard& guard, const Builder& builder) {
  return known.relation == guard.relation && known.left == own_id(guard.left, builder) &&
         known.right == own_id(guard.right, builder);
}

BranchTree::Ref BranchTree::add_node(Ref parent, const Guard& guard, Recorded& recorded) {
  const Builder& builder = recorded.builder();
  Node node;
  node.guard = guard;
  node.guard.left = own_id(guard.left, builder);
  node.guard.right = own_id(guard.right, builder);
  node.parent = parent;
  const std::vector<std::uint32_t> operations = recorded.take_operations(guard);
  if (!operations.empty()) {
    auto code = std::make_unique<Code>();
    for (const std::uint32_t i : operations) {
      RawInstruction r = builder.instructions()[i];
      const std::uint32_t first = r.first_operand;
      r.first_operand = static_cast<std::uint32_t>(code->operands.size());
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const RawOperand& operand = builder.operands()[first + j];
        code->operands.push_back({static_cast<std::uint32_t>(code->pool.size()), operand.size});
        for (const Id id : builder.ids_of(operand)) code->pool.push_back(own_id(id, builder));
      }
      const auto shapes = builder.shapes().begin() + r.first_shape;
      r.first_shape = static_cast<std::uint32_t>(code->shapes.size());
      code->shapes.insert(code->shapes.end(), shapes, shapes + static_cast<long>(shape_count(r)));
      if (r.kind == OpKind::solver) {
        const auto& solvers = builder.solvers();
        code->solvers.push_back(*std::find_if(solvers.begin(), solvers.end(), [&](const auto& solver) {
          return solver.get() == r.definition;
        }));
      }
      code->instructions.push_back(r);
    }
    node.code = std::move(code);
  }
  bytes_ += bytes_of(node);
  if (free_nodes_.empty()) {
    nodes_.push_back(std::move(node));
    return static_cast<Ref>(nodes_.size() - 1);
  }
  const Ref at = free_nodes_.back();
  free_nodes_.pop_back();
  nodes_[at] = std::move(node);
  return at;
}

BranchTree::Leaf BranchTree::add_end(Ref parent) {
  Leaf leaf = static_cast<Leaf>(ends_.size());
  if (free_ends_.empty()) {
    ends_.emplace_back();
  } else {
    leaf = free_ends_.back();
    free_ends_.pop_back();
  }
  ends_[leaf] = {parent, used_.insert(used_.end(), leaf)};
  bytes_ += sizeof(End);
  return leaf;
}

BranchTree::Leaf BranchTree::add(const Builder& builder) {
  if (constants_.size() == 0) constants_ = builder.constants().common_part();
  shares_data_ = builder.constants().begins_with(constants_);
  parameter_count_ = builder.parameter_count();
  values_.resize(std::max(values_.size(), builder.values().size()));
  Recorded recorded(builder);
  const auto place = [this](Ref parent, bool outcome) -> Ref& {
    return parent == kNone ? root_ : nodes_[parent].next[outcome ? 1 : 0];
  };
  Ref parent = kNone;
  bool outcome = false;
  for (const Guard& guard : builder.guards()) {
    const Ref known = place(parent, outcome);
    if (known == kNone) {
      const Ref added = add_node(parent, guard, recorded);
      place(parent, outcome) = added;
      parent = added;
    } else {
      if ((known & kLeafBit) != 0 || !is_same(nodes_[known].guard, guard, builder)) return kNone;
      if (nodes_[known].code) recorded.note_computed(*nodes_[known].code);
      parent = known;
    }
    outcome = guard.outcome;
  }
  Ref& end = place(parent, outcome);
  if (end == kNone) {
    const Leaf leaf = add_end(parent);
    end = leaf | kLeafBit;
    return leaf;
  }
  if ((end & kLeafBit) == 0) return kNone;
  const Leaf leaf = end & ~kLeafBit;
  used_.splice(used_.end(), used_, ends_[leaf].used);
  return leaf;
}

// False where a function refuses its arguments, or a density is NaN.
bool BranchTree::run(const Code& code) {
  const Record record{code.operands, code.pool, code.shapes, constants_, values_.data()};
  try {
    for (const RawInstruction& r : code.instructions) {
      if (!repeat(record, r)) return false;
    }
  } catch (const std::logic_error&) {
    return false;
  }
  return true;
}

BranchTree::Leaf BranchTree::find(const double* theta) {
  if (root_ == kNone) return kNone;
  std::copy_n(theta, parameter_count_, values_.begin());
  const auto value = [this](Id id) { return is_constant(id) ? constants_[id & ~kConstantBit] : values_[id]; };
  Ref at = root_;
  while ((at & kLeafBit) == 0) {
    const Node& node = nodes_[at];
    if (node.code && !run(*node.code)) return kNone;
    const Guard& guard = node.guard;
    at = node.next[holds(guard.relation, value(guard.left), value(guard.right)) ? 1 : 0];
  }
  if (at == kNone) return kNone;
  const Leaf leaf = at & ~kLeafBit;
  used_.splice(used_.end(), used_, ends_[leaf].used);
  return leaf;
}

// Takes away a leaf or node, and the nodes above that lead nowhere then.
void BranchTree::cut(Ref child, Ref parent) {
  for (;;) {
    if (parent == kNone) {
      root_ = kNone;
      return;
    }
    Node& node = nodes_[parent];
    (node.next[0] == child ? node.next[0] : node.next[1]) = kNone;
    if (node.next[0] != kNone || node.next[1] != kNone) return;
    bytes_ -= bytes_of(node);
    node.code.reset();
    free_nodes_.push_back(parent);
    child = parent;
    parent = node.parent;
  }
}

BranchTree::Leaf BranchTree::forget_oldest() {
  if (used_.empty()) return kNone;
  const Leaf leaf = used_.front();
  used_.pop_front();
  cut(leaf | kLeafBit, ends_[leaf].parent);
  bytes_ -= sizeof(End);
  free_ends_.push_back(leaf);
  return leaf;
}

}  // namespace kullback::tape
