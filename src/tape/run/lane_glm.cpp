// bernoulli_logit_glm, poisson_log_glm and normal_id_glm with data y and X, one intercept, one scale and
// coefficients that vary, on all lanes at once. Lane by lane X would be read from memory for each draw; here
// a block of its rows is read once and serves all of them:
//   eta = alpha + X beta        (rows x lanes), four rows and eight lanes in registers
//   log likelihood and slope d of each row
//   by beta += X' d             (columns x lanes), four columns and eight lanes in registers
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

#include "math/gamma_functions.hpp"
#include "math/instruction_set.hpp"
#include "math/logistic_pair.hpp"
#include "tape/run/lane_kernels.hpp"

// Vectors are passed to functions that are always inlined: no calling convention is involved.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace kullback::tape {

namespace {

namespace fast = math::fast;

// Operands: y, X, alpha, beta. Scratch: the partials of alpha, where it varies, then of beta, lanes
// innermost.
constexpr std::size_t kOutcome = 0;
constexpr std::size_t kMatrix = 1;
constexpr std::size_t kIntercept = 2;
constexpr std::size_t kWeights = 3;
constexpr std::size_t kScale = 4;

constexpr std::size_t kRows = 64;  // of a block

// prepare: runs over a block first, since two short chains of dependent operations are faster than one long.
struct Bernoulli {
  static constexpr bool kScaled = false;
  KULLBACK_INLINE static double prepare(double eta) { return math::logistic_exp(eta); }
  KULLBACK_INLINE static double evaluate(double y, double eta, double exp_eta, double& slope) {
    const double sign = 2.0 * y - 1.0;
    const math::LogisticPair pair = math::logistic_pair(sign * eta, exp_eta);
    slope = sign * pair.complement;
    return fast::abs(sign) == 1.0 ? pair.log_probability : fast::kNaN;
  }
};

struct Poisson {
  static constexpr bool kScaled = false;
  KULLBACK_INLINE static double prepare(double eta) { return fast::exp(eta); }
  KULLBACK_INLINE static double evaluate(double y, double eta, double rate, double& slope) {
    slope = y - rate;
    return y >= 0.0 ? y * eta - rate : fast::kNaN;
  }
};

// Without - log sigma.
struct Normal {
  static constexpr bool kScaled = true;
  KULLBACK_INLINE static double evaluate(double y, double eta, double inverse_scale, double& slope) {
    const double z = (y - eta) * inverse_scale;
    slope = z * inverse_scale;
    return -0.5 * z * z;
  }
};

// Some lanes as vectors, and of how many rows, or columns, the sums are kept in registers. What a sum is made
// of, and in which order, does not depend on it.
struct EightInOne {
  typedef double Part __attribute__((vector_size(64), aligned(8)));
  static constexpr std::size_t kWidth = 8;
  static constexpr std::size_t kParts = 1;
  static constexpr std::size_t kSome = 8;
};
struct EightInTwo {
  typedef double Part __attribute__((vector_size(32), aligned(8)));
  static constexpr std::size_t kWidth = 8;
  static constexpr std::size_t kParts = 2;
  static constexpr std::size_t kSome = 4;
};
struct Four {
  typedef double Part __attribute__((vector_size(32), aligned(8)));
  static constexpr std::size_t kWidth = 4;
  static constexpr std::size_t kParts = 1;
  static constexpr std::size_t kSome = 4;
};
struct One {
  typedef double Part;
  static constexpr std::size_t kWidth = 1;
  static constexpr std::size_t kParts = 1;
  static constexpr std::size_t kSome = 4;
};

template <class Lanes>
KULLBACK_INLINE typename Lanes::Part& part(double* x, std::size_t q) {
  return reinterpret_cast<typename Lanes::Part*>(x)[q];
}
template <class Lanes>
KULLBACK_INLINE const typename Lanes::Part& part(const double* x, std::size_t q) {
  return reinterpret_cast<const typename Lanes::Part*>(x)[q];
}

// Lanes from `lane` on, of `size` rows from `first` on.
template <class Family, class Lanes>
struct Block {
  using Part = typename Lanes::Part;
  static constexpr std::size_t kWidth = Lanes::kWidth;
  static constexpr std::size_t kParts = Lanes::kParts;
  const LaneCall& call;
  std::size_t lane;
  std::size_t first;
  std::size_t size;
  double* eta;  // then the slopes

  KULLBACK_INLINE const double* x() const { return call.arguments[kMatrix].data + first; }
  KULLBACK_INLINE std::size_t rows() const { return call.arguments[kMatrix].shape.rows; }
  KULLBACK_INLINE std::size_t cols() const { return call.arguments[kMatrix].shape.cols; }

  template <std::size_t kSome>
  KULLBACK_INLINE void predict(std::size_t row) const {
    const double* own = x() + row;
    const double* beta = call.arguments[kWeights].data + lane;
    const math::DenseArgument& alpha = call.arguments[kIntercept];
    Part sum[kSome][kParts];
    for (std::size_t q = 0; q < kParts; ++q) {
      const Part start = alpha.varies ? part<Lanes>(alpha.data + lane, q) : Part{} + *alpha.data;
      for (std::size_t i = 0; i < kSome; ++i) sum[i][q] = start;
    }
    for (std::size_t j = 0; j < cols(); ++j, own += rows(), beta += call.lanes) {
      for (std::size_t q = 0; q < kParts; ++q) {
        const Part factor = part<Lanes>(beta, q);
        for (std::size_t i = 0; i < kSome; ++i) sum[i][q] += own[i] * factor;
      }
    }
    for (std::size_t i = 0; i < kSome; ++i) {
      for (std::size_t q = 0; q < kParts; ++q) part<Lanes>(eta + (row + i) * kWidth, q) = sum[i][q];
    }
  }

  // Sums of few columns are cut into several, lest each step wait for the one before.
  template <std::size_t kSome>
  KULLBACK_INLINE void pull(std::size_t col, double* partials) const {
    constexpr std::size_t kSums = kSome < 4 ? 4 / kSome : 1;
    const double* own = x() + col * rows();
    Part sum[kSums][kSome][kParts] = {};
    const auto add = [&](std::size_t s, std::size_t i) __attribute__((always_inline)) {
      for (std::size_t q = 0; q < kParts; ++q) {
        const Part slope = part<Lanes>(eta + i * kWidth, q);
        for (std::size_t j = 0; j < kSome; ++j) sum[s][j][q] += own[j * rows() + i] * slope;
      }
    };
    std::size_t i = 0;
    for (; i + kSums <= size; i += kSums) {
      for (std::size_t s = 0; s < kSums; ++s) add(s, i + s);
    }
    for (; i < size; ++i) add(0, i);
    for (std::size_t j = 0; j < kSome; ++j) {
      double* to = partials + (col + j) * call.lanes + lane;
      for (std::size_t q = 0; q < kParts; ++q) {
        Part total = sum[0][j][q];
        for (std::size_t s = 1; s < kSums; ++s) total += sum[s][j][q];
        part<Lanes>(to, q) += total;
      }
    }
  }

  // to += the sum over rows.
  KULLBACK_INLINE void add_rows(const double* from, double* to) const {
    Part sum[2][kParts] = {};
    std::size_t i = 0;
    for (; i + 2 <= size; i += 2) {
      for (std::size_t q = 0; q < kParts; ++q) {
        sum[0][q] += part<Lanes>(from + i * kWidth, q);
        sum[1][q] += part<Lanes>(from + (i + 1) * kWidth, q);
      }
    }
    for (std::size_t q = 0; q < kParts; ++q) {
      Part total = sum[0][q] + sum[1][q];
      if (i < size) total += part<Lanes>(from + i * kWidth, q);
      part<Lanes>(to, q) += total;
    }
  }

  // Log likelihoods are added to the result, slopes replace eta.
  KULLBACK_INLINE void evaluate() const {
    const math::DenseArgument& outcome = call.arguments[kOutcome];
    const bool is_one = outcome.shape.size() == 1;
    double y[kRows * kWidth];
    double prepared[kRows * kWidth];
    double value[kRows * kWidth];
    const std::size_t n = size * kWidth;
    for (std::size_t i = 0; i < size; ++i) {
      const double own = outcome.data[is_one ? 0 : first + i];
      for (std::size_t k = 0; k < kWidth; ++k) y[i * kWidth + k] = own;
    }
    if constexpr (Family::kScaled) {
      const math::DenseArgument& scale = call.arguments[kScale];
      for (std::size_t k = 0; k < kWidth; ++k) prepared[k] = 1 / scale.data[scale.varies ? lane + k : 0];
      for (std::size_t i = 1; i < size; ++i) {
        for (std::size_t k = 0; k < kWidth; ++k) prepared[i * kWidth + k] = prepared[k];
      }
    } else {
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t p = 0; p < n; ++p) prepared[p] = Family::prepare(eta[p]);
    }
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t p = 0; p < n; ++p) {
      double slope;
      value[p] = Family::evaluate(y[p], eta[p], prepared[p], slope);
      eta[p] = slope;
    }
    add_rows(value, call.result + lane);
  }

  KULLBACK_INLINE void run(double* by_alpha, double* by_beta) const {
    std::size_t row = 0;
    for (; row + Lanes::kSome <= size; row += Lanes::kSome) predict<Lanes::kSome>(row);
    for (; row + 4 <= size; row += 4) predict<4>(row);
    for (; row < size; ++row) predict<1>(row);
    evaluate();
    if (!call.with_gradient) return;
    if (by_alpha != nullptr) add_rows(eta, by_alpha + lane);
    std::size_t col = 0;
    for (; col + Lanes::kSome <= cols(); col += Lanes::kSome) pull<Lanes::kSome>(col, by_beta);
    for (; col + 4 <= cols(); col += 4) pull<4>(col, by_beta);
    for (; col + 2 <= cols(); col += 2) pull<2>(col, by_beta);
    for (; col < cols(); ++col) pull<1>(col, by_beta);
  }
};

template <class Family, class Eight>
struct Forward {
  template <class Lanes>
  KULLBACK_INLINE static void lanes_from(const LaneCall& call, std::size_t lane, std::size_t first,
                                         double* by_beta) {
    double eta[kRows * Lanes::kWidth];
    const std::size_t size = std::min(kRows, call.arguments[kMatrix].shape.rows - first);
    double* by_alpha = call.arguments[kIntercept].varies ? call.scratch : nullptr;
    Block<Family, Lanes>{call, lane, first, size, eta}.run(by_alpha, by_beta);
  }
  KULLBACK_INLINE static void run(const LaneCall& call) {
    const std::size_t intercepts = call.arguments[kIntercept].varies ? 1 : 0;
    double* by_beta = call.scratch + intercepts * call.lanes;
    const math::Shape& x = call.arguments[kMatrix].shape;
    std::fill_n(call.scratch, (intercepts + x.cols) * call.lanes, 0.0);
    std::fill_n(call.result, call.lanes, 0.0);
    for (std::size_t first = 0; first < x.rows; first += kRows) {
      std::size_t lane = 0;
      for (; lane + 8 <= call.lanes; lane += 8) lanes_from<Eight>(call, lane, first, by_beta);
      for (; lane + 4 <= call.lanes; lane += 4) lanes_from<Four>(call, lane, first, by_beta);
      for (; lane < call.lanes; ++lane) lanes_from<One>(call, lane, first, by_beta);
    }
  }
};

#if KULLBACK_X86
// Exponentials and logarithms eight at a time too, where the compiler would prefer four.
template <class Family>
KULLBACK_VECTORIZE __attribute__((target("arch=x86-64-v4,prefer-vector-width=512"))) void run_wide(
    const LaneCall& call) {
  Forward<Family, EightInOne>::run(call);
}
#endif

template <class Family>
void run_forward(const LaneCall& call) {
#if KULLBACK_X86
  if (math::instruction_set() == math::InstructionSet::avx512) return run_wide<Family>(call);
#endif
  math::dispatch<Forward<Family, EightInTwo>, LaneCall>(call);
}

// sum_i log y_i!
double log_factorials(const LaneCall& call) {
  const math::DenseArgument& y = call.arguments[kOutcome];
  double sum = 0;
  for (std::size_t i = 0; i < call.arguments[kMatrix].shape.rows; ++i)
    sum += math::log_factorial(y.data[y.shape.size() == 1 ? 0 : i]);
  return sum;
}

// What the likelihood has beside the sum over rows, and the derivative by sigma, (sum z^2 - rows) / sigma.
void finish_normal(const LaneCall& call) {
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  const math::DenseArgument& scale = call.arguments[kScale];
  const math::Shape& x = call.arguments[kMatrix].shape;
  const auto rows = static_cast<double>(x.rows);
  double* by_scale = call.scratch + ((call.arguments[kIntercept].varies ? 1 : 0) + x.cols) * call.lanes;
  for (std::size_t k = 0; k < call.lanes; ++k) {
    const double sigma = scale.data[scale.varies ? k : 0];
    if (!(sigma > 0 && std::isfinite(sigma))) throw std::domain_error("a scale is not positive");
    if (scale.varies) by_scale[k] = (-2 * call.result[k] - rows) / sigma;
    if (call.terms.keep(1U << kScale)) call.result[k] -= rows * std::log(sigma);
    if (call.terms.normalized) call.result[k] -= rows * kHalfLogTwoPi;
  }
}

// Throws where a draw is better evaluated alone: to say what is wrong with it, or because one row of
// predictors serves many outcomes.
template <class Family>
void forward(const LaneCall& call) {
  if (call.arguments[kMatrix].shape.rows == 1 && call.arguments[kOutcome].shape.size() != 1)
    throw std::domain_error("one row of predictors for many outcomes");
  run_forward<Family>(call);
  if constexpr (std::same_as<Family, Normal>) finish_normal(call);
  const std::span<const double> values(call.result, call.lanes);
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    throw std::domain_error("a draw is not finite");
  if (!call.terms.normalized || !std::same_as<Family, Poisson>) return;
  const double constant = log_factorials(call);
  for (std::size_t k = 0; k < call.lanes; ++k) call.result[k] -= constant;
}

// adjoint += result's adjoint times partial.
struct Backward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    const double* partial = call.scratch;
    for (std::size_t j = kIntercept; j < call.arguments.size(); ++j) {
      if (!call.arguments[j].varies) continue;
      const std::size_t n = call.arguments[j].shape.size();
      double* to = call.adjoints[j];
      for (std::size_t i = 0; i < n; ++i, partial += call.lanes, to += call.lanes) {
        KULLBACK_INDEPENDENT_LOOP
        for (std::size_t k = 0; k < call.lanes; ++k) to[k] += call.result_adjoint[k] * partial[k];
      }
    }
  }
};

}  // namespace

const LaneKernel* find_glm_lanes(const math::ArrayOp& f, unsigned varying) {
  struct Named {
    std::string_view name;
    LaneKernel kernel;
  };
  constexpr auto kBackward = &math::dispatch<Backward, LaneCall>;
  static constexpr Named kFamilies[] = {{"bernoulli_logit_glm_lpmf", {&forward<Bernoulli>, kBackward}},
                                        {"poisson_log_glm_lpmf", {&forward<Poisson>, kBackward}},
                                        {"normal_id_glm_lpdf", {&forward<Normal>, kBackward}}};
  for (const Named& family : kFamilies) {
    if (f.name != family.name) continue;
    bool fits = f.parameter_types[kMatrix].kind == math::Kind::matrix;
    for (std::size_t j = kIntercept; j < f.parameter_types.size(); ++j)
      fits &= j == kWeights || f.parameter_types[j].kind == math::Kind::real;
    const unsigned data = varying & (1U << kOutcome | 1U << kMatrix);
    return fits && data == 0 && (varying >> kWeights & 1U) != 0 ? &family.kernel : nullptr;
  }
  return nullptr;
}

}  // namespace kullback::tape
