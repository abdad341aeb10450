#include "tape/higher_order/pieces.hpp"

#include <algorithm>

namespace kullback::tape {

Piece add_piece(const HigherOrderCall& call, const Value& value, Ids& argument, bool varies) {
  Piece piece;
  const Ids ids = call.tracer.reals(value);
  piece.varies = varies || !std::all_of(ids.begin(), ids.end(), is_constant);
  piece.size = ids.size();
  if (piece.varies) {
    piece.first = argument.size();
    argument.insert(argument.end(), ids.begin(), ids.end());
  } else {
    piece.constants = call.numbers(value);
  }
  return piece;
}

}  // namespace kullback::tape
