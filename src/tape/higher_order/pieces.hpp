// Arguments of a solver's instruction: each is constant, or a piece of the one list of numbers that vary.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tape/higher_order/callback.hpp"
#include "tape/higher_order/higher_order.hpp"
#include "tape/record/dense_function.hpp"

namespace kullback::tape {

struct Piece {
  std::vector<double> constants;
  bool varies = false;
  std::size_t first = 0;  // in the argument
  std::size_t size = 0;

  std::span<const double> in(const double* argument) const {
    return varies ? std::span<const double>(argument + first, size) : std::span<const double>(constants);
  }
};

// `varies`: even where all its numbers are constant.
Piece add_piece(const HigherOrderCall& call, const Value& value, Ids& argument, bool varies = false);

// The state of a solver with one callback.
struct CallbackState final : DenseFunction::State {
  CallbackState(std::shared_ptr<const Callback> callback, std::shared_ptr<const Tape> tape)
      : f(std::move(callback), std::move(tape)) {}
  CallbackFunction f;
};

}  // namespace kullback::tape
