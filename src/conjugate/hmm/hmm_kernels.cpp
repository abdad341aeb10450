// Floor of a row with K states in packs of 4 (AVX2, two multiply-adds a cycle): forward and backward each
// K^2/8 cycles, but each is a chain of K/2 dependent multiply-adds and a sum, near 60 cycles for K = 10; the
// pairs K^2/8 cycles in blocks that stay in registers. Memory: two vectors a row, each written and read
// twice.
#include "conjugate/hmm/hmm_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::conjugate::hmm {

namespace {

using math::dispatch;
typedef double Pack __attribute__((vector_size(32), aligned(8), may_alias));

KULLBACK_INLINE const Pack& pack_at(const double* at) { return *reinterpret_cast<const Pack*>(at); }
KULLBACK_INLINE Pack& pack_at(double* at) { return *reinterpret_cast<Pack*>(at); }

// Blocks of 4 rows and 3 packs are 12 sums in registers, 3 loads and 4 broadcasts for 12 multiply-adds.
struct ProductBody {
  template <std::size_t kRows, std::size_t kWidth>
  KULLBACK_INLINE static void block(const Product& call, std::size_t row, std::size_t column) {
    Pack sums[kRows][kWidth] = {};
    const double* a = call.a + row * call.row_step;
    const double* b = call.b + column;
    for (std::size_t l = 0; l < call.inner; ++l, a += call.column_step, b += call.stride) {
      for (std::size_t r = 0; r < kRows; ++r) {
        const double value = a[r * call.row_step];
        for (std::size_t p = 0; p < kWidth; ++p) sums[r][p] += value * pack_at(b + p * kPack);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      double* c = call.c + (row + r) * call.stride + column;
      for (std::size_t p = 0; p < kWidth; ++p) pack_at(c + p * kPack) += sums[r][p];
    }
  }

  template <std::size_t kWidth>
  KULLBACK_INLINE static void columns(const Product& call, std::size_t column) {
    std::size_t row = 0;
    for (; row + 4 <= call.rows; row += 4) block<4, kWidth>(call, row, column);
    for (; row < call.rows; ++row) block<1, kWidth>(call, row, column);
  }

  KULLBACK_INLINE static void run(const Product& call) {
    std::size_t column = 0;
    for (; column + 3 * kPack <= call.stride; column += 3 * kPack) columns<3>(call, column);
    if (column + 2 * kPack == call.stride) columns<2>(call, column);
    if (column + kPack == call.stride) columns<1>(call, column);
  }
};

struct LookupCall {
  Lookup lookup;
  const double* from;
  double* to;
};

struct LookupBody {
  KULLBACK_INLINE static void run(const LookupCall& call) {
    const Lookup& lookup = call.lookup;
    for (std::size_t t = 0; t < lookup.rows; ++t) {
      double* to = call.to + t * lookup.stride;
      for (std::size_t c = 0; c < lookup.columns; ++c) {
        const std::uint32_t index = lookup.indices[t * lookup.columns + c];
        if (index == kNoRow) continue;
        const double* from = call.from + index * lookup.stride;
        for (std::size_t k = 0; k < lookup.stride; k += kPack) pack_at(to + k) += pack_at(from + k);
      }
    }
  }
};

struct ReverseLookupBody {
  KULLBACK_INLINE static void run(const LookupCall& call) {
    const Lookup& lookup = call.lookup;
    for (std::size_t t = 0; t < lookup.rows; ++t) {
      const double* from = call.from + t * lookup.stride;
      for (std::size_t c = 0; c < lookup.columns; ++c) {
        const std::uint32_t index = lookup.indices[t * lookup.columns + c];
        if (index == kNoRow) continue;
        double* to = call.to + index * lookup.stride;
        for (std::size_t k = 0; k < lookup.stride; k += kPack) pack_at(to + k) += pack_at(from + k);
      }
    }
  }
};

struct LikelihoodCall {
  double* values;
  std::size_t rows;
  std::size_t states;
  std::size_t stride;
  double* shifts;
};

struct LikelihoodBody {
  KULLBACK_INLINE static void run(const LikelihoodCall& call) {
    for (std::size_t t = 0; t < call.rows; ++t) {
      double* row = call.values + t * call.stride;
      for (std::size_t k = call.states; k < call.stride; ++k) row[k] = -std::numeric_limits<double>::max();
      Pack best = pack_at(row);
      for (std::size_t k = kPack; k < call.stride; k += kPack) {
        const Pack other = pack_at(row + k);
        best = best > other ? best : other;
      }
      const double first = best[0] > best[1] ? best[0] : best[1];
      const double second = best[2] > best[3] ? best[2] : best[3];
      const double shift = first > second ? first : second;
      call.shifts[t] = shift;
      for (std::size_t k = 0; k < call.stride; k += kPack) pack_at(row + k) -= shift;
    }
    // Nothing that is e^-700 times less likely than another state can matter: see hmm.cpp.
    const std::size_t count = call.rows * call.stride;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < count; ++i) {
      call.values[i] = math::fast::exp_bounded(math::fast::at_least(call.values[i], -700.0));
    }
    for (std::size_t t = 0; t < call.rows; ++t) {
      for (std::size_t k = call.states; k < call.stride; ++k) call.values[t * call.stride + k] = 0;
    }
  }
};

struct LogBody {
  KULLBACK_INLINE static void run(const std::span<double>& values) {
    double* at = values.data();
    const std::size_t count = values.size();
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t i = 0; i < count; ++i) at[i] = math::fast::log(at[i]);
  }
};

// y = x M for kWidth packs of columns, in two chains of additions.
template <std::size_t kWidth>
KULLBACK_INLINE void multiply_group(const double* x, const double* m, std::size_t states, std::size_t stride,
                                    double* y) {
  Pack even[kWidth] = {};
  Pack odd[kWidth] = {};
  std::size_t i = 0;
  for (; i + 2 <= states; i += 2, m += 2 * stride) {
    for (std::size_t p = 0; p < kWidth; ++p) even[p] += x[i] * pack_at(m + p * kPack);
    for (std::size_t p = 0; p < kWidth; ++p) odd[p] += x[i + 1] * pack_at(m + stride + p * kPack);
  }
  if (i < states) {
    for (std::size_t p = 0; p < kWidth; ++p) even[p] += x[i] * pack_at(m + p * kPack);
  }
  for (std::size_t p = 0; p < kWidth; ++p) pack_at(y + p * kPack) = even[p] + odd[p];
}

// kPacks = 0: any number.
template <std::size_t kPacks>
KULLBACK_INLINE void multiply(const double* x, const double* m, std::size_t states, std::size_t stride,
                              double* y) {
  if constexpr (kPacks != 0) {
    multiply_group<kPacks>(x, m, states, kPacks * kPack, y);
  } else {
    std::size_t column = 0;
    for (; column + 4 * kPack <= stride; column += 4 * kPack) {
      multiply_group<4>(x, m + column, states, stride, y + column);
    }
    for (; column < stride; column += kPack) multiply_group<1>(x, m + column, states, stride, y + column);
  }
}

KULLBACK_INLINE double sum_of(const Pack& pack) { return (pack[0] + pack[2]) + (pack[1] + pack[3]); }

struct ForwardBody {
  template <std::size_t kPacks>
  KULLBACK_INLINE static void loop(const Forward& call) {
    const std::size_t stride = kPacks != 0 ? kPacks * kPack : stride_of(call.transitions.states);
    double inverse = 1.0;
    for (std::size_t t = 0; t < call.rows; ++t) {
      double* alpha = call.alphas + t * stride;
      const double* likelihood = call.likelihoods + t * stride;
      if (t == 0) {
        for (std::size_t k = 0; k < stride; ++k) alpha[k] = call.enter[k];
      } else {
        multiply<kPacks>(alpha - stride, call.transitions.matrix, call.transitions.states, stride, alpha);
      }
      Pack sums = {};
      for (std::size_t k = 0; k < stride; k += kPack) {
        const Pack value = pack_at(alpha + k) * (pack_at(likelihood + k) * inverse);
        pack_at(alpha + k) = value;
        sums += value;
      }
      const double sum = sum_of(sums);
      call.sums[t] = sum;
      inverse = 1.0 / sum;
    }
  }

  KULLBACK_INLINE static void run(const Forward& call) {
    switch (stride_of(call.transitions.states) / kPack) {
      case 1: return loop<1>(call);
      case 2: return loop<2>(call);
      case 3: return loop<3>(call);
      case 4: return loop<4>(call);
      default: return loop<0>(call);
    }
  }
};

}  // namespace

struct BackwardCall {
  Backward& state;
  std::size_t rows;
  const double* likelihoods;
  double* alphas;
  double weight;
  double* pairs;
};

struct BackwardBody {
  using State = Backward;

  // beta_t = A (b beta)_{t+1}, over the sum of beta_{t+1}.
  template <std::size_t kPacks>
  KULLBACK_INLINE static void step_beta(State& state, std::size_t stride) {
    double* beta = state.beta_.data();
    if (!state.has_next_) {
      for (std::size_t k = 0; k < stride; ++k) beta[k] = k < state.transitions_.states ? 1.0 : 0.0;
      return;
    }
    multiply<kPacks>(state.next_.data(), state.transitions_.transposed, state.transitions_.states, stride,
                     beta);
    for (std::size_t k = 0; k < stride; k += kPack) pack_at(beta + k) *= state.next_scale_;
  }

  template <std::size_t kPacks>
  KULLBACK_INLINE static void row(State& state, std::size_t stride, const double* likelihood, double* alpha,
                                  double weight, std::size_t slot) {
    step_beta<kPacks>(state, stride);
    const double* beta = state.beta_.data();
    double* next = state.next_.data();
    double* from = state.from_.data() + slot * stride;
    double* to = state.to_.data() + slot * stride;
    Pack norms = {}, betas = {};
    for (std::size_t k = 0; k < stride; k += kPack) {
      norms += pack_at(alpha + k) * pack_at(beta + k);
      betas += pack_at(beta + k);
    }
    const double inverse = 1.0 / sum_of(norms);
    const double pair_scale = state.has_next_ ? state.next_weight_ * state.next_scale_ * inverse : 0.0;
    for (std::size_t k = 0; k < stride; k += kPack) {
      const Pack a = pack_at(alpha + k);
      const Pack b = pack_at(beta + k);
      pack_at(from + k) = a * pair_scale;
      pack_at(to + k) = pack_at(next + k);
      pack_at(alpha + k) = a * b * (weight * inverse);
      pack_at(next + k) = pack_at(likelihood + k) * b;
    }
    state.next_scale_ = 1.0 / sum_of(betas);
    state.next_weight_ = weight;
    state.has_next_ = true;
  }

  template <std::size_t kPacks>
  KULLBACK_INLINE static void loop(const BackwardCall& call) {
    State& state = call.state;
    const std::size_t stride = kPacks != 0 ? kPacks * kPack : state.stride_;
    std::size_t end = call.rows;
    while (end > 0) {
      const std::size_t begin = end > State::kTile ? end - State::kTile : 0;
      for (std::size_t t = end; t-- > begin;) {
        row<kPacks>(state, stride, call.likelihoods + t * stride, call.alphas + t * stride, call.weight,
                    t - begin);
      }
      ProductBody::run({.a = state.from_.data(),
                        .row_step = 1,
                        .column_step = stride,
                        .rows = state.transitions_.states,
                        .inner = end - begin,
                        .b = state.to_.data(),
                        .c = call.pairs,
                        .stride = stride});
      end = begin;
    }
  }

  KULLBACK_INLINE static void run(const BackwardCall& call) {
    switch (call.state.stride_ / kPack) {
      case 1: return loop<1>(call);
      case 2: return loop<2>(call);
      case 3: return loop<3>(call);
      case 4: return loop<4>(call);
      default: return loop<0>(call);
    }
  }
};

namespace {

struct ViterbiCall {
  const Viterbi& path;
  double* scores;           // two rows
  double* arguments;        // a row
  std::uint16_t* pointers;  // rows x states
};

struct ViterbiBody {
  KULLBACK_INLINE static void run(const ViterbiCall& call) {
    const Viterbi& path = call.path;
    const std::size_t stride = stride_of(path.states);
    double* now = call.scores;
    double* before = call.scores + stride;
    for (std::size_t k = 0; k < path.states; ++k) now[k] = path.log_enter[k] + path.logs[k];
    for (std::size_t t = 1; t < path.rows; ++t) {
      std::swap(now, before);
      for (std::size_t k = 0; k < stride; ++k) {
        now[k] = before[0] + path.log_matrix[k];
        call.arguments[k] = 0;
      }
      for (std::size_t i = 1; i < path.states; ++i) {
        const double* logs = path.log_matrix + i * stride;
        const double score = before[i];
        const auto index = static_cast<double>(i);
        KULLBACK_INDEPENDENT_LOOP
        for (std::size_t k = 0; k < stride; ++k) {
          const double candidate = score + logs[k];
          const bool is_better = candidate > now[k];
          now[k] = is_better ? candidate : now[k];
          call.arguments[k] = is_better ? index : call.arguments[k];
        }
      }
      const double* logs = path.logs + t * stride;
      for (std::size_t k = 0; k < path.states; ++k) {
        now[k] += logs[k];
        call.pointers[t * path.states + k] = static_cast<std::uint16_t>(call.arguments[k]);
      }
    }
    if (now != call.scores) {
      for (std::size_t k = 0; k < stride; ++k) call.scores[k] = now[k];
    }
  }
};

}  // namespace

void add_product(const Product& product) { dispatch<ProductBody, Product>(product); }

void add_looked_up(const Lookup& lookup, const double* table, double* out) {
  dispatch<LookupBody, LookupCall>({lookup, table, out});
}

void add_to_looked_up(const Lookup& lookup, const double* rows, double* table) {
  dispatch<ReverseLookupBody, LookupCall>({lookup, rows, table});
}

void to_likelihoods(double* values, std::size_t rows, std::size_t states, double* shifts) {
  dispatch<LikelihoodBody, LikelihoodCall>({values, rows, states, stride_of(states), shifts});
}

void to_logs(std::span<double> values) { dispatch<LogBody, std::span<double>>(values); }

void forward(const Forward& call) { dispatch<ForwardBody, Forward>(call); }

void enter_next(const Transitions& transitions, const double* alpha, double sum, double* enter) {
  const std::size_t stride = stride_of(transitions.states);
  std::fill_n(enter, stride, 0.0);
  for (std::size_t i = 0; i < transitions.states; ++i) {
    const double scaled = alpha[i] / sum;
    for (std::size_t k = 0; k < stride; ++k) enter[k] += scaled * transitions.matrix[i * stride + k];
  }
}

Backward::Backward(const Transitions& transitions)
    : transitions_(transitions),
      stride_(stride_of(transitions.states)),
      next_(stride_),
      beta_(stride_),
      alpha_(stride_),
      from_(kTile * stride_),
      to_(kTile * stride_) {}

void Backward::run(std::size_t rows, const double* likelihoods, double* alphas, double weight,
                   double* pairs) {
  if (rows == 0) return;
  std::copy_n(alphas, stride_, alpha_.begin());
  dispatch<BackwardBody, BackwardCall>({*this, rows, likelihoods, alphas, weight, pairs});
}

double Backward::edge() const {
  double norm = 0;
  for (std::size_t k = 0; k < transitions_.states; ++k) norm += alpha_[k] * beta_[k];
  double sum = -std::log(norm);
  for (std::size_t k = 0; k < transitions_.states; ++k) {
    const double probability = alpha_[k] * beta_[k] / norm;
    if (probability > 0) sum += probability * std::log(beta_[k]);
  }
  return sum;
}

std::vector<std::uint16_t> viterbi(const Viterbi& call) {
  if (call.rows == 0) return {};
  const std::size_t stride = stride_of(call.states);
  std::vector<double> scores(2 * stride);
  std::vector<double> arguments(stride);
  std::vector<std::uint16_t> pointers(call.rows * call.states);
  dispatch<ViterbiBody, ViterbiCall>({call, scores.data(), arguments.data(), pointers.data()});
  const auto best =
      std::max_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(call.states));
  std::vector<std::uint16_t> path(call.rows);
  path.back() = static_cast<std::uint16_t>(best - scores.begin());
  for (std::size_t t = call.rows; t-- > 1;) path[t - 1] = pointers[t * call.states + path[t]];
  return path;
}

}  // namespace kullback::conjugate::hmm
