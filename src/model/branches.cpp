#include "model/branches.hpp"

namespace kullback::model {

namespace {

template <class T>
std::size_t bytes_in(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}

std::size_t bytes_of(const tape::Packed& packed) {
  return bytes_in(packed.ops) + bytes_in(packed.pool) + bytes_in(packed.functions) +
         bytes_in(packed.densities);
}

}  // namespace

std::size_t bytes_of(const tape::Tape& tape, std::size_t lanes) {
  std::size_t numbers = 2 * tape.slot_count;
  for (const tape::Instruction& i : tape.instructions) numbers += i.scratch_size;
  std::size_t bytes = sizeof tape + numbers * lanes * sizeof(double);
  bytes += bytes_in(tape.instructions) + bytes_in(tape.operands) + bytes_in(tape.indices) +
           bytes_in(tape.constants) + bytes_in(tape.shapes) + bytes_in(tape.presets) + bytes_in(tape.guards) +
           bytes_in(tape.target) + bytes_in(tape.packed);
  for (const tape::Packed& packed : tape.packed) bytes += bytes_of(packed);
  return bytes;
}

}  // namespace kullback::model
