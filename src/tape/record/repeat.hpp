// Recorded operations computed again at other numbers, one by one, by the same functions that computed them
// while they were recorded: the results are what recording them at those numbers would give, bit for bit.
#pragma once

#include <span>
#include <vector>

#include "tape/record/builder.hpp"

namespace kullback::tape {

struct Record {
  std::span<const RawOperand> operands;
  const IdPool& pool;
  std::span<const math::Shape> shapes;
  const Constants& constants;
  double* values = nullptr;  // of the slots

  double value(Id id) const { return is_constant(id) ? constants[id & ~kConstantBit] : values[id]; }
  std::span<const Id> ids_of(const RawOperand& operand) const {
    return pool.list(operand.first, operand.size);
  }
  // The numbers of a list: where they lie side by side among shared constants there, else copied.
  const double* numbers(std::span<const Id> ids, std::vector<double>& copy) const;
};

// Computes the results of `r`. False where a density is NaN: perhaps an argument is outside its domain, which
// the program would reject. Throws std::logic_error where a function refuses its arguments.
bool repeat(const Record& record, const RawInstruction& r);

inline bool holds(Guard::Relation relation, double left, double right) {
  if (relation == Guard::Relation::less) return left < right;
  return relation == Guard::Relation::less_equal ? left <= right : left == right;
}

}  // namespace kullback::tape
