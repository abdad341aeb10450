#include "tape/run/log_sum_exp.hpp"

#include <algorithm>

#include "math/instruction_set.hpp"
#include "math/positions.hpp"
#include "math/vector_math.hpp"

namespace kullback::tape {

namespace {

namespace fast = math::fast;
constexpr std::size_t kChunk = 128;  // positions: element * lanes + lane

// A stretch of positions; row j of the shares holds x_j when it begins.
struct Stretch {
  std::size_t n;
  std::size_t size;
  std::size_t row;  // distance of rows
  double* shares;
  double* result;
};

struct Finish {
  KULLBACK_INLINE static void run(const Stretch& s) {
    double most[kChunk];
    double sum[kChunk];
    for (std::size_t p = 0; p < s.size; ++p) most[p] = -fast::kInfinity;
    for (std::size_t j = 0; j < s.n; ++j) {
      const double* x = s.shares + j * s.row;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t p = 0; p < s.size; ++p) most[p] = x[p] > most[p] ? x[p] : most[p];
    }
    for (std::size_t p = 0; p < s.size; ++p) sum[p] = 0;
    for (std::size_t j = 0; j < s.n; ++j) {  // a NaN makes the sum NaN
      double* x = s.shares + j * s.row;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t p = 0; p < s.size; ++p) {
        const double e = fast::exp(x[p] == most[p] ? 0.0 : x[p] - most[p]);
        x[p] = e;
        sum[p] += e;
      }
    }
    double* result = s.result;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t p = 0; p < s.size; ++p) {
      result[p] = most[p] + fast::log(sum[p]);
      sum[p] = 1 / sum[p];
    }
    for (std::size_t j = 0; j < s.n; ++j) {
      double* x = s.shares + j * s.row;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t p = 0; p < s.size; ++p) x[p] *= sum[p];
    }
  }
};

}  // namespace

void log_sum_exp_forward(const LogSumExpCall& call) {
  const std::size_t positions = call.count * call.lanes;
  for (std::size_t j = 0; j < call.n; ++j) {
    math::copy_positions(call.operands[j], {0, call.count, call.lanes}, call.shares + j * positions);
  }
  for (std::size_t first = 0; first < positions; first += kChunk) {
    math::dispatch<Finish>(Stretch{call.n, std::min(kChunk, positions - first), positions,
                                   call.shares + first, call.result + first});
  }
}

void log_sum_exp_backward(const LogSumExpCall& call) {
  const std::size_t lanes = call.lanes;
  for (std::size_t j = 0; j < call.n; ++j) {
    const math::Operand& x = call.operands[j];
    if (x.adjoint == nullptr) continue;
    const double* share = call.shares + j * call.count * lanes;
    math::add_scaled_positions(x, {0, call.count, lanes}, {share, call.result_adjoint, true});
  }
}

}  // namespace kullback::tape
