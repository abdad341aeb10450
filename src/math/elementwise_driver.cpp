// The part of batched elementwise calls that does not depend on the function.
//
// A call is a sequence of positions p = i * lanes + k, which is also the layout of the result. It is cut into
// chunks of contiguous positions (longer ones where nothing needs a buffer). In a chunk an argument is an
// array that lies there already, or a copy in a small buffer (gathered, or broadcast, or constant data
// repeated for the lanes; what is broadcast is copied once). Backward, an argument's adjoints lie there and
// are added to, or products adjoint * partial go to a buffer and from there to the adjoints: summed over
// elements where the argument is broadcast, scattered where it is gathered.
#include <algorithm>

#include "math/elementwise_kernel.hpp"
#include "math/positions.hpp"

namespace kullback::math::functions {

namespace {

constexpr std::size_t kChunk = 256;
constexpr std::size_t kJoined = 1024;  // positions of a chunk where nothing needs a buffer
constexpr double kZeros[kJoined] = {};

// Positions of one chunk: all lanes of `elements` elements, or some lanes of one element.
struct Chunk {
  std::size_t first_element = 0;
  std::size_t elements = 0;
  std::size_t first_lane = 0;
  std::size_t lanes = 0;
};

class Chunks {
 public:
  Chunks(std::size_t count, std::size_t lanes) : count_(count), lanes_(lanes) {
    if (lanes == 1) {
      step_ = kChunk;
    } else if (lanes <= kChunk) {
      step_ = kChunk / lanes;
    }
  }
  // As many elements as need no buffer.
  void join() {
    if (step_ != 0) step_ = std::max(step_, kJoined / lanes_);
  }
  bool next(Chunk& chunk) {
    if (element_ >= count_) return false;
    if (step_ != 0) {
      chunk = {element_, std::min(step_, count_ - element_), 0, lanes_};
      element_ += step_;
      return true;
    }
    chunk = {element_, 1, lane_, std::min(kChunk, lanes_ - lane_)};
    lane_ += chunk.lanes;
    if (lane_ == lanes_) {
      lane_ = 0;
      ++element_;
    }
    return true;
  }

 private:
  std::size_t count_;
  std::size_t lanes_;
  std::size_t step_ = 0;  // elements of a chunk; 0: lanes are cut
  std::size_t element_ = 0;
  std::size_t lane_ = 0;
};

// What is broadcast and has lanes, where chunks cut the lanes: some lanes of one element.
void copy_lanes(const Operand& x, const Chunk& chunk, std::size_t lanes, double* buffer) {
  const std::size_t at = x.at(chunk.first_element);
  if (x.has_lanes()) {
    std::copy_n(x.value + at * lanes + chunk.first_lane, chunk.lanes, buffer);
  } else {
    std::fill_n(buffer, chunk.lanes, x.value[at]);
  }
}
void add_lanes(const Operand& x, const Chunk& chunk, std::size_t lanes, const double* products) {
  double* to = x.adjoint + x.at(chunk.first_element) * lanes + chunk.first_lane;
  for (std::size_t k = 0; k < chunk.lanes; ++k) to[k] = products[k] + (x.assigns ? 0.0 : to[k]);
}

void gather(const Operand& x, const Chunk& chunk, std::size_t lanes, double* buffer) {
  if (chunk.lanes != lanes) return copy_lanes(x, chunk, lanes, buffer);
  copy_positions(x, {chunk.first_element, chunk.elements, lanes}, buffer);
}
void scatter(const Operand& x, const Chunk& chunk, std::size_t lanes, const double* products) {
  if (chunk.lanes != lanes) return add_lanes(x, chunk, lanes, products);
  add_positions(x, {chunk.first_element, chunk.elements, lanes}, products);
}

std::size_t offset(const Operand& x, const Chunk& chunk, std::size_t lanes) {
  return x.at(chunk.first_element) * lanes + chunk.first_lane;
}

// The arguments of a call, chunk after chunk.
class Reader {
 public:
  Reader(const ElementwiseCall& call, std::size_t arity) : call_(call), arity_(arity) {}
  bool copies() const {
    return !std::all_of(call_.arguments, call_.arguments + arity_,
                        [&](const Operand& x) { return lies_there(x, call_.count, call_.lanes); });
  }
  void read(const Chunk& chunk, const double** x) {
    for (std::size_t j = 0; j < arity_; ++j) {
      const Operand& argument = call_.arguments[j];
      if (lies_there(argument, call_.count, call_.lanes)) {
        x[j] = argument.value + offset(argument, chunk, call_.lanes);
        continue;
      }
      // What is broadcast repeats itself in every chunk, unless chunks cut the lanes.
      if (is_first_ || !argument.is_broadcast() || call_.lanes > kChunk) {
        gather(argument, chunk, call_.lanes, buffers_[j]);
      }
      x[j] = buffers_[j];
    }
    is_first_ = false;
  }

 private:
  const ElementwiseCall& call_;
  std::size_t arity_;
  bool is_first_ = true;
  double buffers_[kMaxArity][kChunk];
};

}  // namespace

void drive_forward(const ElementwiseCall& call, std::size_t arity, ChunkKernel kernel) {
  if (call.count == 1 && call.lanes == 1) {
    ChunkCall one;
    one.n = 1;
    for (std::size_t j = 0; j < arity; ++j) one.x[j] = call.arguments[j].value + call.arguments[j].at(0);
    one.result = call.result;
    return kernel(one);
  }
  Reader reader(call, arity);
  Chunks chunks(call.count, call.lanes);
  if (!reader.copies()) chunks.join();
  ChunkCall part;
  for (Chunk chunk; chunks.next(chunk);) {
    reader.read(chunk, part.x);
    part.n = chunk.elements * chunk.lanes;
    part.result = call.result + chunk.first_element * call.lanes + chunk.first_lane;
    kernel(part);
  }
}

void drive_backward(const ElementwiseCall& call, std::size_t arity, const BackwardKernel& kernel) {
  const bool adds = kernel.adds;
  Reader reader(call, kernel.reads ? arity : 0);
  Chunks chunks(call.count, call.lanes);
  ChunkCall part;
  part.wanted = 0;
  double buffers[kMaxArity][kChunk];
  unsigned in_buffer = 0;
  for (std::size_t j = 0; j < arity; ++j) {
    part.before[j] = kZeros;
    part.x[j] = kZeros;
    part.products[j] = buffers[j];
    if (call.arguments[j].adjoint == nullptr) continue;
    part.wanted |= 1U << j;
    const bool there = lies_there(call.arguments[j], call.count, call.lanes);
    if (!there || !(adds || call.arguments[j].assigns)) in_buffer |= 1U << j;
  }
  if (adds && in_buffer == 0 && !reader.copies()) chunks.join();
  for (Chunk chunk; chunks.next(chunk);) {
    reader.read(chunk, part.x);
    const std::size_t start = chunk.first_element * call.lanes + chunk.first_lane;
    part.n = chunk.elements * chunk.lanes;
    part.value = call.result + start;
    part.adjoint = call.result_adjoint + start;
    for (std::size_t j = 0; j < arity; ++j) {
      if (((part.wanted & ~in_buffer) >> j & 1U) == 0) continue;
      part.products[j] = call.arguments[j].adjoint + offset(call.arguments[j], chunk, call.lanes);
      part.before[j] = call.arguments[j].assigns ? kZeros : part.products[j];
    }
    kernel.run(part);
    for (std::size_t j = 0; j < arity; ++j) {
      if ((in_buffer >> j & 1U) != 0) scatter(call.arguments[j], chunk, call.lanes, buffers[j]);
    }
  }
}

}  // namespace kullback::math::functions
