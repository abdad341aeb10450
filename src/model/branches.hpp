// What was made of a program for each way through its comparisons with parameters, up to a number of bytes:
// beyond it, what was used longest ago is forgotten.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tape/run/branch_tree.hpp"
#include "tape/tape.hpp"

namespace kullback::model {

// Of a tape and a workspace of so many lanes.
std::size_t bytes_of(const tape::Tape& tape, std::size_t lanes);

// The share of the memory that one model's branches may take: there is a clone for each chain.
inline constexpr std::size_t kBranchShare = 32;

template <class Made>
class Branches final {
 public:
  // Null where the way that the program takes at this point is not known.
  std::shared_ptr<Made> find(const double* theta) {
    const auto known = made_.find(tree_.find(theta));
    return known == made_.end() ? nullptr : known->second.what;
  }

  // What is known of the way of a recorded program; else what make() returns, with its bytes, is kept.
  template <class Make>
  std::shared_ptr<Made> find_or_add(const tape::Builder& builder, std::size_t limit, Make make) {
    constexpr std::size_t kBytesOfComparison = 64;  // in the tree
    if (builder.guards().size() > limit / kBytesOfComparison) return make().first;
    const tape::BranchTree::Leaf leaf = tree_.add(builder);
    if (leaf == tape::BranchTree::kNone) return make().first;
    if (const auto known = made_.find(leaf); known != made_.end()) return known->second.what;
    std::pair<std::shared_ptr<Made>, std::size_t> made = make();
    bytes_ += made.second;
    made_.emplace(leaf, Kept{made.first, made.second});
    while (bytes_ + tree_.bytes() > limit && tree_.leaves() > 1) {
      const auto oldest = made_.find(tree_.forget_oldest());
      if (oldest == made_.end()) continue;  // what was to be made of it failed
      bytes_ -= oldest->second.bytes;
      made_.erase(oldest);
    }
    return made.first;
  }

  std::size_t count() const { return made_.size(); }

 private:
  struct Kept {
    std::shared_ptr<Made> what;
    std::size_t bytes = 0;
  };
  tape::BranchTree tree_;
  std::unordered_map<tape::BranchTree::Leaf, Kept> made_;
  std::size_t bytes_ = 0;
};

}  // namespace kullback::model
