// Values as the operands of one operation: their own lists of numbers, without copies.
#pragma once

#include <span>
#include <vector>

#include "tape/trace/tracer.hpp"

namespace kullback::tape {

// The values must outlive it. Ints become constants, which it keeps.
class RealOperands final {
 public:
  RealOperands(Tracer& tracer, std::span<const Value> values) {
    made_.reserve(values.size());
    OperandList::Spans lists;
    OperandList::Owners owners;
    for (const Value& value : values) {
      lists.emplace_back(value.ids ? *value.ids : made_.emplace_back(tracer.reals(value)));
      owners.push_back(value.ids);
    }
    list_ = OperandList(std::move(lists), std::move(owners));
  }
  RealOperands(const RealOperands&) = delete;
  RealOperands& operator=(const RealOperands&) = delete;

  const OperandList& list() const { return list_; }

 private:
  std::vector<Ids> made_;
  OperandList list_;
};

}  // namespace kullback::tape
