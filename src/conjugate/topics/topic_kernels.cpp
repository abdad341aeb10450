#include "conjugate/topics/topic_kernels.hpp"

#include "math/fast_gamma.hpp"
#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::conjugate::kernels {

namespace {

using math::dispatch;
namespace fast = math::fast;
typedef double Pack __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kPack = 4;

KULLBACK_INLINE const Pack& pack_at(const double* at) { return *reinterpret_cast<const Pack*>(at); }
KULLBACK_INLINE Pack& pack_at(double* at) { return *reinterpret_cast<Pack*>(at); }
KULLBACK_INLINE double sum_of(const Pack& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

struct ElementCall {
  const double* x;
  std::size_t size;
  double* y;
};

// digamma(x) = log z - rest(1/z) - (1/x + ... + 1/(x+7)), z = x + 8.
struct Digamma {
  KULLBACK_INLINE static void run(const ElementCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.size; ++i) {
      const double z = call.x[i] + 8.0;
      call.y[i] =
          fast::log(z) - fast::detail::digamma_rest(1.0 / z) - fast::detail::shift(call.x[i]).reciprocals;
    }
  }
};
struct Log {
  KULLBACK_INLINE static void run(const ElementCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.size; ++i) call.y[i] = fast::log(call.x[i]);
  }
};
struct Exp {
  KULLBACK_INLINE static void run(const ElementCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.size; ++i) call.y[i] = fast::exp(call.x[i]);
  }
};
struct LogGamma {
  KULLBACK_INLINE static void run(const ElementCall& call) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < call.size; ++i) call.y[i] = fast::log_gamma(call.x[i]);
  }
};

struct DotCall {
  const double* x;
  const double* y;
  std::size_t size;
  double* sum;
};
struct Dot {
  KULLBACK_INLINE static void run(const DotCall& call) {
    Pack sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 * kPack <= call.size; i += 4 * kPack) {
      for (std::size_t j = 0; j < 4; ++j) {
        sums[j] += pack_at(call.x + i + j * kPack) * pack_at(call.y + i + j * kPack);
      }
    }
    double rest = 0;
    for (; i < call.size; ++i) rest += call.x[i] * call.y[i];
    *call.sum = sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
  }
};

struct RoundCall {
  Round* round;
};

struct RoundBody {
  static constexpr std::size_t kRows = 4;

  // exp(digamma(x)) = z exp(-rest(1/z) - (1/x + ... + 1/(x+7))): no logarithm.
  KULLBACK_INLINE static void weigh(const Round& round) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < round.width; ++k) {
      const double x = round.gamma[k];
      const double z = x + 8.0;
      round.t[k] = z * fast::exp(-fast::detail::digamma_rest(1.0 / z) - fast::detail::shift(x).reciprocals);
    }
  }

  // Four words at a time: their norms, then their part of the sums while their rows are in the nearest cache.
  KULLBACK_INLINE static void four_words(const Round& round, std::size_t w) {
    const double* const* rows = round.rows + w;
    Pack norm[kRows][2] = {};
    for (std::size_t k = 0; k < round.width; k += 2 * kPack) {
      const Pack first = pack_at(round.t + k);
      const Pack second = pack_at(round.t + k + kPack);
      for (std::size_t r = 0; r < kRows; ++r) {
        norm[r][0] += first * pack_at(rows[r] + k);
        norm[r][1] += second * pack_at(rows[r] + k + kPack);
      }
    }
    Pack norms;
    for (std::size_t r = 0; r < kRows; ++r) norms[r] = sum_of(norm[r][0] + norm[r][1]);
    pack_at(round.norms + w) = norms;
    const Pack ratios = pack_at(round.counts + w) / norms;
    Pack ratio[kRows];
    for (std::size_t r = 0; r < kRows; ++r) ratio[r] = Pack{ratios[r], ratios[r], ratios[r], ratios[r]};
    for (std::size_t k = 0; k < round.width; k += kPack) {
      const Pack low = ratio[0] * pack_at(rows[0] + k) + ratio[1] * pack_at(rows[1] + k);
      const Pack high = ratio[2] * pack_at(rows[2] + k) + ratio[3] * pack_at(rows[3] + k);
      pack_at(round.sums + k) += low + high;
    }
  }

  KULLBACK_INLINE static void run(const RoundCall& call) {
    Round& round = *call.round;
    weigh(round);
    for (std::size_t k = 0; k < round.width; k += kPack) pack_at(round.sums + k) = Pack{};
    for (std::size_t w = 0; w < round.words; w += kRows) four_words(round, w);
    Pack least = {1e300, 1e300, 1e300, 1e300};
    for (std::size_t w = 0; w < round.words; w += kPack) {
      const Pack norms = pack_at(round.norms + w);
      least = norms < least ? norms : least;
    }
    round.smallest = 1e300;
    for (std::size_t i = 0; i < kPack; ++i) {
      if (least[i] < round.smallest) round.smallest = least[i];
    }
    if (!(round.smallest > 0)) return;
    Pack change = {};
    for (std::size_t k = 0; k < round.width; k += kPack) {
      const Pack updated = pack_at(round.alpha + k) + pack_at(round.t + k) * pack_at(round.sums + k);
      const Pack difference = updated - pack_at(round.gamma + k);
      change += difference < Pack{} ? -difference : difference;
      pack_at(round.gamma + k) = updated;
    }
    round.change = sum_of(change);
  }
};

struct SpreadCall {
  const Spread* spread;
  double* sum;
};

struct SpreadBody {
  KULLBACK_INLINE static void run(const SpreadCall& call) {
    const Spread& s = *call.spread;
    Pack sums = {};
    double rest = 0;
    for (std::size_t w = 0; w < s.words; ++w) {
      const double ratio = s.scale * s.counts[w] / s.norms[w];
      const Pack ratios = {ratio, ratio, ratio, ratio};
      const double* row = s.rows[w];
      const double* log_row = s.log_rows[w];
      double* into = s.into[w];
      std::size_t k = 0;
      for (; k + kPack <= s.topics; k += kPack) {
        const Pack part = ratios * pack_at(s.t + k) * pack_at(row + k);
        pack_at(into + k) += part;
        sums += part * pack_at(log_row + k);
      }
      for (; k < s.topics; ++k) {
        const double part = ratio * s.t[k] * row[k];
        into[k] += part;
        rest += part * log_row[k];
      }
    }
    *call.sum = sum_of(sums) + rest;
  }
};

}  // namespace

void digamma(const double* x, std::size_t size, double* y) {
  dispatch<Digamma>(ElementCall{.x = x, .size = size, .y = y});
}
void log(const double* x, std::size_t size, double* y) {
  dispatch<Log>(ElementCall{.x = x, .size = size, .y = y});
}
void exp(const double* x, std::size_t size, double* y) {
  dispatch<Exp>(ElementCall{.x = x, .size = size, .y = y});
}

double sum_log_gamma(const double* x, std::size_t size) {
  constexpr std::size_t kPart = 256;
  double values[kPart];
  double sum = 0;
  for (std::size_t at = 0; at < size; at += kPart) {
    const std::size_t part = size - at < kPart ? size - at : kPart;
    dispatch<LogGamma>(ElementCall{.x = x + at, .size = part, .y = values});
    double part_sum = 0;
    for (std::size_t i = 0; i < part; ++i) part_sum += values[i];
    sum += part_sum;
  }
  return sum;
}

double dot(const double* x, const double* y, std::size_t size) {
  double sum = 0;
  dispatch<Dot>(DotCall{.x = x, .y = y, .size = size, .sum = &sum});
  return sum;
}

void run_round(Round& round) { dispatch<RoundBody>(RoundCall{.round = &round}); }

double spread(const Spread& call) {
  double sum = 0;
  dispatch<SpreadBody>(SpreadCall{.spread = &call, .sum = &sum});
  return sum;
}

}  // namespace kullback::conjugate::kernels
