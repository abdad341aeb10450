// Bounds of a number whatever the parameters are, as far as the functions that made it tell.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tape/record/builder.hpp"

namespace kullback::tape {

struct NumberRange {
  double low = 0;
  double high = 0;
};

// What a recorded program must tell of its numbers.
struct Recorded {
  std::span<const RawOperand> operands;
  const IdPool& pool;
  const Constants& constants;
  std::function<const RawInstruction*(Id)> producer;  // null: a constant or a parameter
};

// Ends are included; NaN is not excluded: it comes from NaN only. Nothing where no bound is known.
std::optional<NumberRange> range_of(const Recorded& program, Id id);

}  // namespace kullback::tape
