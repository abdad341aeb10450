// The part of batched elementwise calls that does not depend on the function.
//
// A call is a sequence of positions p = i * lanes + k, which is also the layout of the result. It is cut into
// chunks of contiguous positions. In a chunk an argument is an array that lies there already, or a copy in a
// small buffer (gathered, or broadcast, or constant data repeated for the lanes; what is broadcast is copied
// once). Backward, an argument's adjoints lie there and are added to, or products adjoint * partial go to a
// buffer and from there to the adjoints: summed over elements where the argument is broadcast, scattered
// where it is gathered.
#include <algorithm>
#include <cstring>

#include "math/elementwise_kernel.hpp"

namespace kullback::math::functions {

namespace {

constexpr std::size_t kChunk = 256;
constexpr double kZeros[kChunk] = {};

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

// Whether the positions of any chunk lie one after another in the operand.
bool lies_there(const Operand& x, const ElementwiseCall& call) {
  return (call.count == 1 || (x.index == nullptr && x.step == 1)) &&
         (x.adjoint != nullptr || call.lanes == 1);
}
std::size_t offset(const Operand& x, const Chunk& chunk, std::size_t lanes) {
  return x.at(chunk.first_element) * lanes + chunk.first_lane;
}

// All of kLanes lanes.
template <std::size_t kLanes>
KULLBACK_VECTORIZE void gather_lanes(const Operand& x, const Chunk& chunk, double* buffer) {
  for (std::size_t e = 0; e < chunk.elements; ++e) {
    const std::size_t at = x.at(chunk.first_element + e);
    double* to = buffer + e * kLanes;
    if (x.adjoint == nullptr) {
      const double value = x.value[at];
      for (std::size_t k = 0; k < kLanes; ++k) to[k] = value;
    } else {
      const double* from = x.value + at * kLanes;
      for (std::size_t k = 0; k < kLanes; ++k) to[k] = from[k];
    }
  }
}

// Adds to the adjoints of kLanes lanes; where one number serves all elements, their sum.
template <std::size_t kLanes>
KULLBACK_VECTORIZE void scatter_lanes(const Operand& x, const Chunk& chunk, const double* products) {
  if (x.is_broadcast()) {
    double sum[kLanes] = {};
    for (std::size_t e = 0; e < chunk.elements; ++e) {
      for (std::size_t k = 0; k < kLanes; ++k) sum[k] += products[e * kLanes + k];
    }
    for (std::size_t k = 0; k < kLanes; ++k) x.adjoint[k] += sum[k];
    return;
  }
  for (std::size_t e = 0; e < chunk.elements; ++e) {
    double* to = x.adjoint + x.at(chunk.first_element + e) * kLanes;
    for (std::size_t k = 0; k < kLanes; ++k) to[k] += products[e * kLanes + k];
  }
}

void gather(const Operand& x, const Chunk& chunk, std::size_t lanes, double* buffer) {
  if (lanes == 1) {
    if (x.is_broadcast()) {
      std::fill_n(buffer, chunk.elements, *x.value);
    } else {
      for (std::size_t e = 0; e < chunk.elements; ++e) buffer[e] = x.value[x.at(chunk.first_element + e)];
    }
    return;
  }
  if (lanes == 8) return gather_lanes<8>(x, chunk, buffer);
  if (lanes == 4) return gather_lanes<4>(x, chunk, buffer);
  for (std::size_t e = 0; e < chunk.elements; ++e) {
    const std::size_t at = x.at(chunk.first_element + e);
    double* to = buffer + e * chunk.lanes;
    if (x.adjoint == nullptr) {
      std::fill_n(to, chunk.lanes, x.value[at]);
    } else {
      std::copy_n(x.value + at * lanes + chunk.first_lane, chunk.lanes, to);
    }
  }
}

// Eight running sums in a fixed order.
double sum(const double* x, std::size_t n) {
  double parts[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) parts[j] += x[i + j];
  }
  for (std::size_t j = 0; i + j < n; ++j) parts[j] += x[i + j];
  return ((parts[0] + parts[4]) + (parts[1] + parts[5])) + ((parts[2] + parts[6]) + (parts[3] + parts[7]));
}

void add(double* to, const double* from, std::size_t n) {
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t p = 0; p < n; ++p) to[p] += from[p];
}

KULLBACK_VECTORIZE void scatter(const Operand& x, const ElementwiseCall& call, const Chunk& chunk,
                                const double* products) {
  if (lies_there(x, call))
    return add(x.adjoint + offset(x, chunk, call.lanes), products, chunk.elements * chunk.lanes);
  if (call.lanes == 1) {
    if (x.is_broadcast()) {
      *x.adjoint += sum(products, chunk.elements);
    } else {
      for (std::size_t e = 0; e < chunk.elements; ++e)
        x.adjoint[x.at(chunk.first_element + e)] += products[e];
    }
    return;
  }
  if (call.lanes == 8) return scatter_lanes<8>(x, chunk, products);
  if (call.lanes == 4) return scatter_lanes<4>(x, chunk, products);
  for (std::size_t e = 0; e < chunk.elements; ++e) {
    add(x.adjoint + x.at(chunk.first_element + e) * call.lanes + chunk.first_lane, products + e * chunk.lanes,
        chunk.lanes);
  }
}

// The arguments of a call, chunk after chunk.
class Reader {
 public:
  Reader(const ElementwiseCall& call, std::size_t arity) : call_(call), arity_(arity) {}
  void read(const Chunk& chunk, const double** x) {
    for (std::size_t j = 0; j < arity_; ++j) {
      const Operand& argument = call_.arguments[j];
      if (lies_there(argument, call_)) {
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
  ChunkCall part;
  for (Chunk chunk; chunks.next(chunk);) {
    reader.read(chunk, part.x);
    part.n = chunk.elements * chunk.lanes;
    part.result = call.result + chunk.first_element * call.lanes + chunk.first_lane;
    kernel(part);
  }
}

void drive_backward(const ElementwiseCall& call, std::size_t arity, bool adds, ChunkKernel kernel) {
  Reader reader(call, arity);
  Chunks chunks(call.count, call.lanes);
  ChunkCall part;
  part.wanted = 0;
  double buffers[kMaxArity][kChunk];
  unsigned in_buffer = 0;
  for (std::size_t j = 0; j < arity; ++j) {
    part.before[j] = kZeros;
    part.products[j] = buffers[j];
    if (call.arguments[j].adjoint == nullptr) continue;
    part.wanted |= 1U << j;
    if (!adds || !lies_there(call.arguments[j], call)) in_buffer |= 1U << j;
  }
  for (Chunk chunk; chunks.next(chunk);) {
    reader.read(chunk, part.x);
    const std::size_t start = chunk.first_element * call.lanes + chunk.first_lane;
    part.n = chunk.elements * chunk.lanes;
    part.value = call.result + start;
    part.adjoint = call.result_adjoint + start;
    for (std::size_t j = 0; j < arity; ++j) {
      if (((part.wanted & ~in_buffer) >> j & 1U) == 0) continue;
      part.products[j] = call.arguments[j].adjoint + offset(call.arguments[j], chunk, call.lanes);
      part.before[j] = part.products[j];
    }
    kernel(part);
    for (std::size_t j = 0; j < arity; ++j) {
      if ((in_buffer >> j & 1U) != 0) scatter(call.arguments[j], call, chunk, buffers[j]);
    }
  }
}

}  // namespace kullback::math::functions
