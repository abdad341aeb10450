// Lists of ids one after another. Long lists of data stay where they are, in the values that have them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tape/record/value.hpp"

namespace kullback::tape {

class IdPool final {
 public:
  using SharedIds = std::shared_ptr<const Ids>;

  // A list that begins at `first`: a place here, or the name of a list elsewhere.
  std::span<const Id> list(std::uint32_t first, std::size_t size) const {
    return {is_shared(first) ? shared_[first & ~kShared]->data() : own_.data() + first, size};
  }
  // Lists that are shared consist of constants, and are never changed.
  static bool is_shared(std::uint32_t first) { return (first & kShared) != 0; }
  std::uint32_t share(SharedIds ids) {
    if (kept_.insert(ids.get()).second) shared_size_ += ids->size();
    shared_.push_back(std::move(ids));
    return static_cast<std::uint32_t>(shared_.size() - 1) | kShared;
  }
  bool is_full() const { return own_.size() >= kShared; }

  // Of the lists elsewhere, each counted once: they last as long as this.
  std::size_t shared_size() const { return shared_size_; }

  // The lists here.
  std::size_t size() const { return own_.size(); }
  Id& operator[](std::size_t i) { return own_[i]; }
  Ids::iterator begin() { return own_.begin(); }
  Ids::iterator end() { return own_.end(); }
  void push_back(Id id) { own_.push_back(id); }
  template <class Iterator>
  void insert(Ids::const_iterator at, Iterator first, Iterator last) {
    own_.insert(at, first, last);
  }
  void clear() {
    own_.clear();
    shared_.clear();
    kept_.clear();
    shared_size_ = 0;
  }

  friend bool operator==(const IdPool& a, const IdPool& b) {
    const auto same = [](const SharedIds& x, const SharedIds& y) { return *x == *y; };
    return a.own_ == b.own_ &&
           std::equal(a.shared_.begin(), a.shared_.end(), b.shared_.begin(), b.shared_.end(), same);
  }

 private:
  static constexpr std::uint32_t kShared = 0x8000'0000U;
  Ids own_;
  std::vector<SharedIds> shared_;
  std::unordered_set<const Ids*> kept_;
  std::size_t shared_size_ = 0;
};

}  // namespace kullback::tape
