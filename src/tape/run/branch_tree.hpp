// The ways a program can take, known so far: a tree of its comparisons with parameters, in the order of the
// program. What is compared is computed as it was recorded, so that the way found for a point is the way a
// trace at that point would take, whichever points were met before.
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tape/record/builder.hpp"

namespace kullback::tape {

class BranchTree final {
 public:
  using Leaf = std::uint32_t;  // the end of a way
  static constexpr Leaf kNone = 0xFFFF'FFFFU;

  // The way at this point; kNone where it is not known, or where a function refuses its arguments before the
  // last comparison.
  Leaf find(const double* theta);
  // The way of a recorded program; the leaf that it has if it is known. kNone where the program compares
  // other numbers after the same outcomes than before: it is not a function of its parameters.
  Leaf add(const Builder& builder);
  // Forgets the way that was found or added longest ago; kNone where there is none.
  Leaf forget_oldest();

  std::size_t leaves() const { return ends_.size() - free_ends_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  // What must be computed for a comparison besides what was computed for those before it.
  struct Code {
    std::vector<RawInstruction> instructions;
    std::vector<RawOperand> operands;
    IdPool pool;
    std::vector<math::Shape> shapes;
    std::vector<std::shared_ptr<const DenseFunction>> solvers;
  };
  using Ref = std::uint32_t;  // kNone, a node, or a leaf with kLeafBit
  static constexpr Ref kLeafBit = 0x8000'0000U;
  struct Node {
    Guard guard;
    Ref next[2] = {kNone, kNone};  // by outcome
    Ref parent = kNone;
    std::unique_ptr<const Code> code;  // null: nothing
  };
  struct End {
    Ref parent = kNone;
    std::list<Leaf>::iterator used;
  };
  class Recorded;

  bool run(const Code& code);
  Ref add_node(Ref parent, const Guard& guard, Recorded& recorded);
  Leaf add_end(Ref parent);
  bool is_same(const Guard& known, const Guard& guard, const Builder& builder);  // as a node has it
  void cut(Ref child, Ref parent);
  Id own_id(Id id, const Builder& builder);
  static std::size_t bytes_of(const Node& node);

  Ref root_ = kNone;
  std::vector<Node> nodes_;
  std::vector<Ref> free_nodes_;
  std::vector<End> ends_;
  std::vector<Leaf> free_ends_;
  std::list<Leaf> used_;                                // longest ago first
  Constants constants_;                                 // first those that all recordings share: the data
  bool shares_data_ = false;                            // of the recording that is added
  std::unordered_map<std::uint64_t, Id> constant_ids_;  // by bits
  std::vector<double> values_;
  std::size_t parameter_count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace kullback::tape
