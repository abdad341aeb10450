#include "tape/run/lane_kernels.hpp"

#include <algorithm>

#include "math/instruction_set.hpp"

namespace kullback::tape {

namespace {

constexpr unsigned kLeft = 0b01;
constexpr unsigned kRight = 0b10;

// ---- constant matrix times vector: y[i] += X[i, j] b[j] ----

// Four lanes.
typedef double Four __attribute__((vector_size(32), aligned(8)));

// By reference: passing one by value would depend on the instruction set.
KULLBACK_INLINE const Four& four(const double* x) { return *reinterpret_cast<const Four*>(x); }
KULLBACK_INLINE Four& four(double* x) { return *reinterpret_cast<Four*>(x); }

// kRows rows of results in registers, kLanes lanes from `lane` on.
template <std::size_t kRows, std::size_t kLanes>
KULLBACK_INLINE void product_forward(const LaneCall& call, std::size_t row, std::size_t lane) {
  constexpr std::size_t kFours = kLanes / 4;
  const std::size_t rows = call.arguments[0].shape.rows;
  const std::size_t cols = call.arguments[0].shape.cols;
  const double* x = call.arguments[0].data + row;
  const double* b = call.arguments[1].data + lane;
  Four sum[kRows][kFours] = {};
  for (std::size_t j = 0; j < cols; ++j, x += rows, b += call.lanes) {
    for (std::size_t q = 0; q < kFours; ++q) {
      const Four factor = four(b + 4 * q);
      for (std::size_t i = 0; i < kRows; ++i) sum[i][q] += x[i] * factor;
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t q = 0; q < kFours; ++q)
      four(call.result + (row + i) * call.lanes + lane + 4 * q) = sum[i][q];
  }
}

// kCols columns of adjoints in registers, over a stretch of rows.
template <std::size_t kCols, std::size_t kLanes>
KULLBACK_INLINE void product_backward(const LaneCall& call, std::size_t col, std::size_t lane,
                                      std::size_t first, std::size_t last) {
  constexpr std::size_t kFours = kLanes / 4;
  const std::size_t rows = call.arguments[0].shape.rows;
  const double* x = call.arguments[0].data + col * rows;
  const double* up = call.result_adjoint + first * call.lanes + lane;
  Four sum[kCols][kFours] = {};
  for (std::size_t i = first; i < last; ++i, up += call.lanes) {
    for (std::size_t q = 0; q < kFours; ++q) {
      const Four factor = four(up + 4 * q);
      for (std::size_t j = 0; j < kCols; ++j) sum[j][q] += x[j * rows + i] * factor;
    }
  }
  for (std::size_t j = 0; j < kCols; ++j) {
    double* down = call.adjoints[1] + (col + j) * call.lanes + lane;
    for (std::size_t q = 0; q < kFours; ++q) four(down + 4 * q) += sum[j][q];
  }
}

constexpr std::size_t kStretch = 128;  // rows whose adjoints stay in the first cache

struct ProductForward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    const std::size_t rows = call.arguments[0].shape.rows;
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
      std::size_t lane = 0;
      for (; lane + 8 <= call.lanes; lane += 8) product_forward<4, 8>(call, row, lane);
      for (; lane + 4 <= call.lanes; lane += 4) product_forward<4, 4>(call, row, lane);
      for (; lane < call.lanes; ++lane) {
        for (std::size_t i = row; i < row + 4; ++i) single(call, i, lane);
      }
    }
    for (; row < rows; ++row) {
      for (std::size_t lane = 0; lane < call.lanes; ++lane) single(call, row, lane);
    }
  }
  KULLBACK_INLINE static void single(const LaneCall& call, std::size_t row, std::size_t lane) {
    const std::size_t rows = call.arguments[0].shape.rows;
    double sum = 0;
    for (std::size_t j = 0; j < call.arguments[0].shape.cols; ++j)
      sum += call.arguments[0].data[j * rows + row] * call.arguments[1].data[j * call.lanes + lane];
    call.result[row * call.lanes + lane] = sum;
  }
};

struct ProductBackward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    const std::size_t rows = call.arguments[0].shape.rows;
    const std::size_t cols = call.arguments[0].shape.cols;
    for (std::size_t first = 0; first < rows; first += kStretch) {
      const std::size_t last = std::min(rows, first + kStretch);
      std::size_t lane = 0;
      for (; lane + 8 <= call.lanes; lane += 8) columns<8>(call, cols, lane, first, last);
      for (; lane + 4 <= call.lanes; lane += 4) columns<4>(call, cols, lane, first, last);
      for (; lane < call.lanes; ++lane) {
        for (std::size_t j = 0; j < cols; ++j) {
          double sum = 0;
          for (std::size_t i = first; i < last; ++i)
            sum += call.arguments[0].data[j * rows + i] * call.result_adjoint[i * call.lanes + lane];
          call.adjoints[1][j * call.lanes + lane] += sum;
        }
      }
    }
  }
  template <std::size_t kLanes>
  KULLBACK_INLINE static void columns(const LaneCall& call, std::size_t cols, std::size_t lane,
                                      std::size_t first, std::size_t last) {
    std::size_t j = 0;
    for (; j + 4 <= cols; j += 4) product_backward<4, kLanes>(call, j, lane, first, last);
    for (; j < cols; ++j) product_backward<1, kLanes>(call, j, lane, first, last);
  }
};

constexpr LaneKernel kProduct{&math::dispatch<ProductForward, LaneCall>,
                              &math::dispatch<ProductBackward, LaneCall>};

}  // namespace

const LaneKernel* find_lane_kernel(const math::ArrayOp& f, unsigned varying) {
  if (f.name == "normal_residuals") return &kNormalResidualLanes;
  if (f.name == "sum" && varying == kLeft) return &kSumLanes;
  if (f.name == "dot_self" && varying == kLeft) return &kDotSelfLanes;
  if (const LaneKernel* glm = find_glm_lanes(f, varying)) return glm;
  const bool matrix_by_vector = f.name == "multiply" && f.parameter_types[0].kind == math::Kind::matrix &&
                                f.parameter_types[1].kind == math::Kind::vector;
  return matrix_by_vector && varying == kRight ? &kProduct : nullptr;
}

}  // namespace kullback::tape
