// The registry, messages about bad arguments, and the loops common to all distributions.
//
// A call is cut into rows: stretches in which each argument is an array or one value, prepared once. There
// are three ways to cut. Along elements (for each lane, blocks of elements): a broadcast argument is prepared
// once for each lane. Along lanes (for each element), for lanes enough to fill a vector and few elements, or
// where nothing that varies gains from being prepared: what varies is then contiguous and needs no copy. In
// tiles of several elements by all lanes, like the second, where a vectorised loop exists, whose rows should
// not be short. Sums run in eight independent accumulators per block, in fixed order.
#include "math/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "math/distribution_kernel.hpp"

namespace kullback::math {
namespace {

constexpr const Distribution* kDistributions[] = {
#define KULLBACK_DISTRIBUTION(name) &distributions::name,
#include "math/distributions/distributions.def"
#undef KULLBACK_DISTRIBUTION
};

const char* requirement(Domain domain) {
  switch (domain) {
    case Domain::any: return "not NaN";
    case Domain::finite: return "finite";
    case Domain::positive: return "positive";
    case Domain::positive_finite: return "positive and finite";
    case Domain::nonnegative: return "nonnegative";
    case Domain::nonnegative_finite: return "nonnegative and finite";
    case Domain::probability: return "in the interval [0, 1]";
    case Domain::open_probability: return "strictly between 0 and 1";
    case Domain::integer: return "an integer";
    case Domain::nonnegative_integer: return "a nonnegative integer";
    case Domain::positive_integer: return "a positive integer";
    case Domain::correlation: return "in the interval [-1, 1]";
  }
  return "";
}

// As Stan's streams print it: six significant digits.
std::string text_of(double x) {
  if (std::isnan(x)) return "nan";  // whatever its sign
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", x);
  return buffer;
}

}  // namespace

std::span<const Distribution* const> all_distributions() { return kDistributions; }

const Distribution* find_distribution(std::string_view family) {
  for (const Distribution* distribution : kDistributions)
    if (distribution->name == family) return distribution;
  return nullptr;
}

bool contains(Domain domain, double x) {
  const bool is_integer = std::isfinite(x) && x == std::floor(x);
  switch (domain) {
    case Domain::any: return !std::isnan(x);
    case Domain::finite: return std::isfinite(x);
    case Domain::positive: return x > 0;
    case Domain::positive_finite: return x > 0 && std::isfinite(x);
    case Domain::nonnegative: return x >= 0;
    case Domain::nonnegative_finite: return x >= 0 && std::isfinite(x);
    case Domain::probability: return x >= 0 && x <= 1;
    case Domain::open_probability: return x > 0 && x < 1;
    case Domain::integer: return is_integer;
    case Domain::nonnegative_integer: return is_integer && x >= 0;
    case Domain::positive_integer: return is_integer && x >= 1;
    case Domain::correlation: return x >= -1 && x <= 1;
  }
  return false;
}

std::string describe_bad_argument(const Distribution& distribution, std::string_view suffix,
                                  const double* arguments) {
  std::string function(distribution.name);
  function += '_';
  function += suffix;
  const bool is_cdf = suffix.ends_with("cdf");
  for (std::size_t j = 0; j < distribution.arguments.size(); ++j) {
    const ArgumentDef& argument = distribution.arguments[j];
    const Domain domain = j == 0 && is_cdf ? distribution.cdf_variate : argument.domain;
    if (contains(domain, arguments[j])) continue;
    const std::string found = function + ": " + std::string(argument.name) + " is ";
    if (std::isnan(arguments[j])) return found + "NaN";
    return found + text_of(arguments[j]) + ", but must be " + requirement(domain);
  }
  if (distribution.relation != nullptr)
    if (const char* problem = distribution.relation(arguments)) return function + ": " + problem;
  return {};
}

namespace kernel {
namespace {

struct Scratch {
  double value[kBlock];
  double unwanted[kBlock];
  double array[kMaxArity][kBlock];
  double partial[kMaxArity][kBlock];
};

struct SumCall {
  const double* x = nullptr;
  std::size_t size = 0;
  double* total = nullptr;  // added to
};

struct Sum {
  KULLBACK_INLINE static void run(const SumCall& call) {
    typedef double Pack __attribute__((vector_size(32), aligned(8)));
    const double* x = call.x;
    Pack even = {}, odd = {};
    std::size_t i = 0;
    for (; i + 8 <= call.size; i += 8) {
      even += *reinterpret_cast<const Pack*>(x + i);
      odd += *reinterpret_cast<const Pack*>(x + i + 4);
    }
    even += odd;
    double rest = 0;
    for (; i < call.size; ++i) rest += x[i];
    *call.total += ((even[0] + even[2]) + (even[1] + even[3])) + rest;
  }
};

void add_sum(const double* x, std::size_t size, double& total) { dispatch<Sum>(SumCall{x, size, &total}); }

// ---- all lanes of an element; eight are known to the compiler, and moved by twos ----

typedef double Two __attribute__((vector_size(16), aligned(8)));

template <std::size_t kLanes>
void fill_lanes(double* to, double value, std::size_t lanes) {
  if constexpr (kLanes != 0) {
    const Two both = {value, value};
    for (std::size_t k = 0; k < kLanes; k += 2) *reinterpret_cast<Two*>(to + k) = both;
  } else {
    for (std::size_t k = 0; k < lanes; ++k) to[k] = value;
  }
}
template <std::size_t kLanes>
void copy_lanes(double* to, const double* from, std::size_t lanes) {
  if constexpr (kLanes != 0) {
    for (std::size_t k = 0; k < kLanes; k += 2)
      *reinterpret_cast<Two*>(to + k) = *reinterpret_cast<const Two*>(from + k);
  } else {
    for (std::size_t k = 0; k < lanes; ++k) to[k] = from[k];
  }
}
// to[k] += the sum of lane k over rows.
template <std::size_t kLanes>
KULLBACK_VECTORIZE void add_lanes(double* to, const double* from, std::size_t rows, std::size_t lanes) {
  if constexpr (kLanes != 0) {
    double sum[kLanes] = {};
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < kLanes; ++k) sum[k] += from[i * kLanes + k];
    for (std::size_t k = 0; k < kLanes; ++k) to[k] += sum[k];
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < lanes; ++k) to[k] += from[i * lanes + k];
  }
}

class Batch final {
 public:
  Batch(const Kernel& kernel, const DensityCall& call, void* prepared)
      : kernel_(kernel), call_(call), prepared_(static_cast<std::byte*>(prepared)) {
    for (std::size_t j = 0; j < kernel.arity; ++j) {
      const Operand& argument = call.arguments[j];
      if (argument.is_broadcast()) broadcast_ |= 1U << j;
      if (!argument.has_lanes()) constant_ |= 1U << j;
    }
    all_ = (1U << kernel.arity) - 1U;
  }

  void run() {
    for (std::size_t j = 0; j < kernel_.arity; ++j)
      if (is_summed(j) && partials(j) != nullptr) std::fill_n(partials(j), call_.lanes, 0.0);
    const unsigned shared = broadcast_ & ~constant_ & ~kernel_.plain;  // worth preparing once for each lane
    if (call_.lanes >= 4 && (call_.count < 4 || shared == 0)) {
      const unsigned arrays = all_ & ~(constant_ & broadcast_);
      const FastRow* fast = find_fast_row(arrays);
      if (fast != nullptr && 2 * call_.lanes <= kBlock) {
        run_tiles(arrays, *fast);
      } else {
        run_along_lanes();
      }
    } else {
      run_along_elements();
    }
  }

 private:
  static bool has(unsigned set, std::size_t j) { return (set >> j & 1U) != 0; }

  // Whether its partials are summed over elements.
  bool is_summed(std::size_t j) const { return has(broadcast_, j) && !call_.each; }

  double* partials(std::size_t j) const { return call_.partials != nullptr ? call_.partials[j] : nullptr; }

  const double* pointer(std::size_t j, std::size_t i, std::size_t lane) const {
    const Operand& argument = call_.arguments[j];
    return argument.value + (has(constant_, j) ? argument.at(i) : argument.at(i) * call_.lanes + lane);
  }

  // False where the value is outside its domain.
  bool prepare(std::size_t j, std::size_t i, std::size_t lane, std::size_t slot) {
    const double x = *pointer(j, i, lane);
    if (!kernel_.is_inside(j, x)) return false;
    kernel_.prepare(j, x, call_.terms, prepared_ + slot * kernel_.prepared_size);
    return true;
  }

  // The smallest vectorised loop that covers these arrays, or null.
  const FastRow* find_fast_row(unsigned arrays) const {
    for (const FastRow& row : kernel_.fast_rows)
      if ((arrays & ~row.arrays) == 0) return &row;
    return nullptr;
  }

  // Points row_'s arrays at `arrays` (set by the caller in array_), or at copies where the loop wants an
  // array of what is one value.
  void run_row(unsigned arrays, const FastRow* fast, std::size_t size, std::size_t slot) {
    Row row{.size = size,
            .arrays = array_,
            .prepared = prepared_ + slot * kernel_.prepared_size,
            .terms = call_.terms,
            .value = scratch_.value,
            .partials = call_.partials != nullptr || fast != nullptr ? partial_ : nullptr};
    if (fast == nullptr) return kernel_.run(row);
    for (std::size_t j = 0; j < kernel_.arity; ++j) {
      if (!has(fast->arrays & ~arrays, j)) continue;
      std::fill_n(scratch_.array[j], size, uniform_[slot][j]);
      array_[j] = scratch_.array[j];
    }
    fast->run(row);
  }

  void fail(std::size_t first, std::size_t size, std::size_t lane) {
    if (call_.each) {
      for (std::size_t i = 0; i < size; ++i) call_.result[(first + i) * call_.lanes + lane] = kNotANumber;
    } else {
      call_.result[lane] = kNotANumber;
    }
    for (std::size_t j = 0; j < kernel_.arity; ++j) {
      if (partials(j) == nullptr) continue;
      if (is_summed(j)) {
        partials(j)[lane] = kNotANumber;
      } else {
        for (std::size_t i = 0; i < size; ++i) partials(j)[(first + i) * call_.lanes + lane] = kNotANumber;
      }
    }
  }

  void run_along_lanes() {
    const unsigned arrays = all_ & ~constant_;
    const FastRow* fast = find_fast_row(arrays);
    bool is_inside = true;
    for (std::size_t j = 0; j < kernel_.arity; ++j)
      if (has(constant_ & broadcast_, j)) is_inside = set_uniform(j, 0, 0, 0) && is_inside;
    for (std::size_t i = 0; i < call_.count; ++i) {
      bool is_element_inside = is_inside;
      for (std::size_t j = 0; j < kernel_.arity; ++j)
        if (has(constant_ & ~broadcast_, j)) is_element_inside = set_uniform(j, i, 0, 0) && is_element_inside;
      if (!is_element_inside) {
        for (std::size_t lane = 0; lane < call_.lanes; ++lane) fail(i, 1, lane);
        continue;
      }
      for (std::size_t lane = 0; lane < call_.lanes; lane += kBlock)
        run_lanes(arrays, fast, i, lane, std::min(kBlock, call_.lanes - lane));
    }
  }

  void run_lanes(unsigned arrays, const FastRow* fast, std::size_t i, std::size_t lane, std::size_t size) {
    for (std::size_t j = 0; j < kernel_.arity; ++j) {
      array_[j] = has(arrays, j) ? pointer(j, i, lane) : nullptr;
      partial_[j] = partials(j) == nullptr ? scratch_.unwanted
                    : is_summed(j)         ? scratch_.partial[j]
                                           : partials(j) + i * call_.lanes + lane;
    }
    run_row(arrays, fast, size, 0);
    if (call_.each) {
      std::copy_n(scratch_.value, size, call_.result + i * call_.lanes + lane);
    } else {
      for (std::size_t k = 0; k < size; ++k) call_.result[lane + k] += scratch_.value[k];
    }
    for (std::size_t j = 0; j < kernel_.arity; ++j)
      if (is_summed(j) && partials(j) != nullptr)
        for (std::size_t k = 0; k < size; ++k) partials(j)[lane + k] += scratch_.partial[j][k];
  }

  void run_tiles(unsigned arrays, const FastRow& fast) {
    const std::size_t lanes = call_.lanes;
    const std::size_t most = std::min(call_.count, kBlock / lanes);
    for (std::size_t j = 0; j < kernel_.arity; ++j) {
      if (has(constant_ & broadcast_, j)) {
        if (!set_uniform(j, 0, 0, 0)) {
          for (std::size_t lane = 0; lane < lanes; ++lane) fail(0, call_.count, lane);
          return;
        }
      } else if (has(broadcast_, j)) {
        for (std::size_t i = 0; i < most; ++i)
          std::copy_n(call_.arguments[j].value, lanes, scratch_.array[j] + i * lanes);
      }
    }
    for (std::size_t first = 0; first < call_.count; first += most) {
      const std::size_t count = std::min(most, call_.count - first);
      for (std::size_t j = 0; j < kernel_.arity; ++j) {
        array_[j] = has(arrays, j) ? tile(j, first, count) : nullptr;
        partial_[j] = partials(j) == nullptr ? scratch_.unwanted
                      : is_summed(j)         ? scratch_.partial[j]
                                             : partials(j) + first * lanes;
      }
      run_row(arrays, &fast, count * lanes, 0);
      if (call_.each) {
        std::copy_n(scratch_.value, count * lanes, call_.result + first * lanes);
      } else {
        add_rows(scratch_.value, count, call_.result);
      }
      for (std::size_t j = 0; j < kernel_.arity; ++j)
        if (is_summed(j) && partials(j) != nullptr) add_rows(scratch_.partial[j], count, partials(j));
    }
  }

  // The values of an argument for `count` elements by all lanes.
  const double* tile(std::size_t j, std::size_t first, std::size_t count) {
    return call_.lanes == 8 ? tile_lanes<8>(j, first, count) : tile_lanes<0>(j, first, count);
  }
  template <std::size_t kLanes>
  const double* tile_lanes(std::size_t j, std::size_t first, std::size_t count) {
    const Operand& argument = call_.arguments[j];
    const std::size_t lanes = kLanes != 0 ? kLanes : call_.lanes;
    double* to = scratch_.array[j];
    if (has(broadcast_, j)) return to;  // filled once
    if (has(constant_, j)) {
      for (std::size_t i = 0; i < count; ++i)
        fill_lanes<kLanes>(to + i * lanes, argument.value[argument.at(first + i)], lanes);
      return to;
    }
    if (argument.index == nullptr && argument.step == 1) return argument.value + first * lanes;
    for (std::size_t i = 0; i < count; ++i)
      copy_lanes<kLanes>(to + i * lanes, argument.value + argument.at(first + i) * lanes, lanes);
    return to;
  }

  void add_rows(const double* from, std::size_t count, double* to) const {
    if (call_.lanes == 8) return add_lanes<8>(to, from, count, 8);
    add_lanes<0>(to, from, count, call_.lanes);
  }

  void run_along_elements() {
    const unsigned arrays = all_ & ~broadcast_;
    const FastRow* fast = find_fast_row(arrays);
    for (std::size_t chunk = 0; chunk < call_.lanes; chunk += kLaneChunk) {
      const std::size_t lanes = std::min(kLaneChunk, call_.lanes - chunk);
      bool is_inside[kLaneChunk];
      for (std::size_t slot = 0; slot < lanes; ++slot) {
        is_inside[slot] = true;
        for (std::size_t j = 0; j < kernel_.arity; ++j)
          if (has(broadcast_, j)) is_inside[slot] = set_uniform(j, 0, chunk + slot, slot) && is_inside[slot];
      }
      for (std::size_t first = 0; first < call_.count; first += kBlock) {
        const std::size_t size = std::min(kBlock, call_.count - first);
        for (std::size_t slot = 0; slot < lanes; ++slot) {
          if (is_inside[slot]) {
            run_elements(arrays, fast, first, size, chunk + slot, slot);
          } else {
            fail(first, size, chunk + slot);
          }
        }
      }
    }
  }

  void run_elements(unsigned arrays, const FastRow* fast, std::size_t first, std::size_t size,
                    std::size_t lane, std::size_t slot) {
    for (std::size_t j = 0; j < kernel_.arity; ++j) {
      array_[j] = has(arrays, j) ? gather(j, first, size, lane) : nullptr;
      partial_[j] = partials(j) == nullptr            ? scratch_.unwanted
                    : is_summed(j) || call_.lanes > 1 ? scratch_.partial[j]
                                                      : partials(j) + first;
    }
    run_row(arrays, fast, size, slot);
    if (call_.each) {
      double* to = call_.result + first * call_.lanes + lane;
      for (std::size_t i = 0; i < size; ++i) to[i * call_.lanes] = scratch_.value[i];
    } else {
      add_sum(scratch_.value, size, call_.result[lane]);
    }
    for (std::size_t j = 0; j < kernel_.arity; ++j) {
      if (partials(j) == nullptr) continue;
      if (is_summed(j)) {
        add_sum(scratch_.partial[j], size, partials(j)[lane]);
      } else if (call_.lanes > 1) {
        double* to = partials(j) + first * call_.lanes + lane;
        for (std::size_t i = 0; i < size; ++i) to[i * call_.lanes] = scratch_.partial[j][i];
      }
    }
  }

  const double* gather(std::size_t j, std::size_t first, std::size_t size, std::size_t lane) {
    const Operand& argument = call_.arguments[j];
    const std::size_t lanes = has(constant_, j) ? 1 : call_.lanes;
    if (argument.index == nullptr && argument.step == 1 && lanes == 1) return argument.value + first;
    const double* from = argument.value + (has(constant_, j) ? 0 : lane);
    double* to = scratch_.array[j];
    if (argument.index != nullptr) {
      for (std::size_t i = 0; i < size; ++i) to[i] = from[argument.index[first + i] * lanes];
    } else {
      const std::size_t step = argument.step * lanes;
      for (std::size_t i = 0; i < size; ++i) to[i] = from[(first + i) * step];
    }
    return to;
  }

  bool set_uniform(std::size_t j, std::size_t i, std::size_t lane, std::size_t slot) {
    uniform_[slot][j] = *pointer(j, i, lane);
    return prepare(j, i, lane, slot);
  }

  const Kernel& kernel_;
  const DensityCall& call_;
  std::byte* prepared_;
  unsigned broadcast_ = 0;
  unsigned constant_ = 0;
  unsigned all_ = 0;
  const double* array_[kMaxArity];
  double* partial_[kMaxArity];
  double uniform_[kLaneChunk][kMaxArity];
  Scratch scratch_;
};

}  // namespace

void run_batch(const Kernel& kernel, const DensityCall& call, void* prepared) {
  Batch(kernel, call, prepared).run();
}

}  // namespace kernel
}  // namespace kullback::math
