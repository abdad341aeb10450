// 4, 8 and 16 lanes are known to the compiler and copied by whole vectors.
#include "math/positions.hpp"

#include <algorithm>

#include "math/instruction_set.hpp"

namespace kullback::math {

namespace {

typedef double Four __attribute__((vector_size(32), aligned(8)));

// By reference: passing one by value would depend on the instruction set.
KULLBACK_INLINE const Four& four(const double* x) { return *reinterpret_cast<const Four*>(x); }
KULLBACK_INLINE Four& four(double* x) { return *reinterpret_cast<Four*>(x); }

struct Move {
  const Operand& x;
  const Stretch& stretch;
  double* buffer;        // of copies
  const double* source;  // of sums: products
  const double* factor;
  std::size_t factor_step;
};

// Calls visit(element of the stretch, its place in the operand).
template <class Visit>
KULLBACK_INLINE void each_element(const Move& move, Visit visit) {
  const std::size_t first = move.stretch.first;
  const std::size_t count = move.stretch.count;
  if (move.x.index != nullptr) {
    const std::uint32_t* index = move.x.index + first;
    for (std::size_t e = 0; e < count; ++e) visit(e, std::size_t{index[e]});
  } else {
    const std::size_t step = move.x.step;
    for (std::size_t e = 0; e < count; ++e) visit(e, (first + e) * step);
  }
}

template <std::size_t kLanes>
struct Copy {
  KULLBACK_INLINE static void run(const Move& move) {
    const double* from = move.x.value;
    double* to = move.buffer;
    if (!move.x.has_lanes()) {
      each_element(
          move, [=](std::size_t e, std::size_t at) __attribute__((always_inline)) {
            const Four value = {from[at], from[at], from[at], from[at]};
            for (std::size_t k = 0; k < kLanes; k += 4) four(to + e * kLanes + k) = value;
          });
    } else {
      each_element(
          move, [=](std::size_t e, std::size_t at) __attribute__((always_inline)) {
            for (std::size_t k = 0; k < kLanes; k += 4)
              four(to + e * kLanes + k) = four(from + at * kLanes + k);
          });
    }
  }
};

// kFactor: products times the factors, else the products themselves.
template <std::size_t kLanes, bool kFactor>
struct Add {
  static constexpr std::size_t kFours = kLanes / 4;
  KULLBACK_INLINE static void add(const Move& move, std::size_t e, std::size_t k, Four& to) {
    const Four& product = four(move.source + e * kLanes + k);
    if constexpr (kFactor) {
      to += product * four(move.factor + e * move.factor_step + k);
    } else {
      to += product;
    }
  }
  KULLBACK_INLINE static void run(const Move& move) {
    double* adjoint = move.x.adjoint;
    if (move.x.is_broadcast()) {
      Four sum[kFours] = {};
      for (std::size_t e = 0; e < move.stretch.count; ++e) {
        for (std::size_t q = 0; q < kFours; ++q) add(move, e, 4 * q, sum[q]);
      }
      for (std::size_t q = 0; q < kFours; ++q) four(adjoint + 4 * q) += sum[q];
    } else if (move.x.assigns) {
      each_element(
          move, [&](std::size_t e, std::size_t at) __attribute__((always_inline)) {
            for (std::size_t k = 0; k < kLanes; k += 4) {
              Four sum = {};
              add(move, e, k, sum);
              four(adjoint + at * kLanes + k) = sum;
            }
          });
    } else {
      each_element(
          move, [&](std::size_t e, std::size_t at) __attribute__((always_inline)) {
            for (std::size_t k = 0; k < kLanes; k += 4) add(move, e, k, four(adjoint + at * kLanes + k));
          });
    }
  }
};

// The adjoints of lanes that are not vectors, one by one.
void add_number(const Operand& x, double& adjoint, double term) {
  adjoint = x.assigns ? term : adjoint + term;
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

KULLBACK_VECTORIZE void add_contiguous(const Scaled& scaled, std::size_t n, double* adjoint) {
  const double* product = scaled.products;
  if (scaled.each) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t e = 0; e < n; ++e) adjoint[e] += scaled.factor[e] * product[e];
  } else {
    const double factor = *scaled.factor;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t e = 0; e < n; ++e) adjoint[e] += factor * product[e];
  }
}

void add_one_lane(const Operand& x, const Stretch& stretch, const Scaled& scaled) {
  const std::size_t n = stretch.count;
  if (lies_there(x, n, 1)) {
    double* adjoint = x.adjoint + x.at(stretch.first);
    if (x.assigns) std::fill_n(adjoint, n, 0.0);
    return add_contiguous(scaled, n, adjoint);
  }
  for (std::size_t e = 0; e < n; ++e) {
    add_number(x, x.adjoint[x.at(stretch.first + e)],
               scaled.factor[scaled.each ? e : 0] * scaled.products[e]);
  }
}

}  // namespace

void copy_positions(const Operand& x, const Stretch& stretch, double* buffer) {
  const std::size_t lanes = stretch.lanes;
  if (lies_there(x, stretch.count, lanes)) {
    std::copy_n(x.value + x.at(stretch.first) * lanes, stretch.count * lanes, buffer);
    return;
  }
  if (lanes == 1) {
    if (x.is_broadcast()) {
      std::fill_n(buffer, stretch.count, *x.value);
    } else {
      for (std::size_t e = 0; e < stretch.count; ++e) buffer[e] = x.value[x.at(stretch.first + e)];
    }
    return;
  }
  const Move move{x, stretch, buffer, nullptr, nullptr, 0};
  if (lanes == 16) return dispatch<Copy<16>>(move);
  if (lanes == 8) return dispatch<Copy<8>>(move);
  if (lanes == 4) return dispatch<Copy<4>>(move);
  for (std::size_t e = 0; e < stretch.count; ++e) {
    const std::size_t at = x.at(stretch.first + e);
    double* to = buffer + e * lanes;
    if (x.has_lanes()) {
      std::copy_n(x.value + at * lanes, lanes, to);
    } else {
      std::fill_n(to, lanes, x.value[at]);
    }
  }
}

KULLBACK_VECTORIZE void add_positions(const Operand& x, const Stretch& stretch, const double* products) {
  const std::size_t lanes = stretch.lanes;
  if (lies_there(x, stretch.count, lanes)) {
    double* to = x.adjoint + x.at(stretch.first) * lanes;
    if (x.assigns) {
      std::copy_n(products, stretch.count * lanes, to);
      return;
    }
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t p = 0; p < stretch.count * lanes; ++p) to[p] += products[p];
    return;
  }
  if (lanes == 1) {
    if (x.is_broadcast()) {
      *x.adjoint += sum(products, stretch.count);
    } else {
      for (std::size_t e = 0; e < stretch.count; ++e)
        add_number(x, x.adjoint[x.at(stretch.first + e)], products[e]);
    }
    return;
  }
  const Move move{x, stretch, nullptr, products, nullptr, 0};
  if (lanes == 16) return dispatch<Add<16, false>>(move);
  if (lanes == 8) return dispatch<Add<8, false>>(move);
  if (lanes == 4) return dispatch<Add<4, false>>(move);
  for (std::size_t e = 0; e < stretch.count; ++e) {
    double* to = x.adjoint + x.at(stretch.first + e) * lanes;
    for (std::size_t k = 0; k < lanes; ++k) add_number(x, to[k], products[e * lanes + k]);
  }
}

void add_scaled_positions(const Operand& x, const Stretch& stretch, const Scaled& scaled) {
  const std::size_t lanes = stretch.lanes;
  if (lanes == 1) return add_one_lane(x, stretch, scaled);
  const std::size_t factor_step = scaled.each ? lanes : 0;
  const Move move{x, stretch, nullptr, scaled.products, scaled.factor, factor_step};
  if (lanes == 16) return dispatch<Add<16, true>>(move);
  if (lanes == 8) return dispatch<Add<8, true>>(move);
  if (lanes == 4) return dispatch<Add<4, true>>(move);
  for (std::size_t e = 0; e < stretch.count; ++e) {
    double* to = x.adjoint + x.at(stretch.first + e) * lanes;
    for (std::size_t k = 0; k < lanes; ++k)
      add_number(x, to[k], scaled.factor[e * factor_step + k] * scaled.products[e * lanes + k]);
  }
}

}  // namespace kullback::math
