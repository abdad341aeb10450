// sum and dot_self of a vector, on all lanes at once.
#include <cstddef>

#include "math/instruction_set.hpp"
#include "tape/run/lane_kernels.hpp"

namespace kullback::tape {

namespace {

typedef double Four __attribute__((vector_size(32), aligned(8)));

KULLBACK_INLINE const Four& four(const double* x) { return *reinterpret_cast<const Four*>(x); }
KULLBACK_INLINE Four& four(double* x) { return *reinterpret_cast<Four*>(x); }

KULLBACK_INLINE std::size_t size_of(const LaneCall& call) { return call.arguments[0].shape.size(); }

// kSquares: of squares, else of the numbers. Two sums for each lane, of even and odd elements.
template <bool kSquares>
struct Forward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    std::size_t lane = 0;
    for (; lane + 4 <= call.lanes; lane += 4) lanes_from(call, lane);
    for (; lane < call.lanes; ++lane) one_lane(call, lane);
  }
  KULLBACK_INLINE static void lanes_from(const LaneCall& call, std::size_t lane) {
    const double* x = call.arguments[0].data + lane;
    const std::size_t n = size_of(call);
    Four sum[2] = {};
    for (std::size_t i = 0; i < n; ++i) {
      const Four own = four(x + i * call.lanes);
      sum[0] += kSquares ? own * own : own;
      if (++i == n) break;
      const Four next = four(x + i * call.lanes);
      sum[1] += kSquares ? next * next : next;
    }
    four(call.result + lane) = sum[0] + sum[1];
  }
  KULLBACK_INLINE static void one_lane(const LaneCall& call, std::size_t lane) {
    const double* x = call.arguments[0].data + lane;
    double sum = 0;
    for (std::size_t i = 0; i < size_of(call); ++i)
      sum += kSquares ? x[i * call.lanes] * x[i * call.lanes] : x[i * call.lanes];
    call.result[lane] = sum;
  }
};

template <bool kSquares>
struct Backward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    if (call.adjoints[0] == nullptr) return;
    const double* x = call.arguments[0].data;
    double* down = call.adjoints[0];
    const double* up = call.result_adjoint;
    const std::size_t n = size_of(call);
    for (std::size_t i = 0; i < n; ++i, x += call.lanes, down += call.lanes) {
      std::size_t k = 0;
      for (; k + 4 <= call.lanes; k += 4) {
        if constexpr (kSquares) {
          four(down + k) += 2 * four(up + k) * four(x + k);
        } else {
          four(down + k) += four(up + k);
        }
      }
      for (; k < call.lanes; ++k) down[k] += kSquares ? 2 * up[k] * x[k] : up[k];
    }
  }
};

}  // namespace

const LaneKernel kSumLanes{&math::dispatch<Forward<false>, LaneCall>,
                           &math::dispatch<Backward<false>, LaneCall>};
const LaneKernel kDotSelfLanes{&math::dispatch<Forward<true>, LaneCall>,
                               &math::dispatch<Backward<true>, LaneCall>};

}  // namespace kullback::tape
