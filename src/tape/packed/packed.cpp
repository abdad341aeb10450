// The loops over packed operations. The lanes are cut into pieces of 16, 8, 4, 2 or 1, for each of which
// there is a loop compiled for every instruction set.
#include "tape/packed/packed.hpp"

#include "math/instruction_set.hpp"
#include "tape/packed/densities.hpp"
#include "tape/packed/kernels.hpp"

namespace kullback::tape {

namespace {

using namespace micro;

#define KULLBACK_MICRO_CASES(way)                                                 \
  case MicroCode::add: binary_##way<Add>(f, op); break;                           \
  case MicroCode::subtract: binary_##way<Subtract>(f, op); break;                 \
  case MicroCode::multiply: binary_##way<Multiply>(f, op); break;                 \
  case MicroCode::divide: binary_##way<Divide>(f, op); break;                     \
  case MicroCode::minus: unary_##way<Minus>(f, op); break;                        \
  case MicroCode::square: unary_##way<Square>(f, op); break;                      \
  case MicroCode::sqrt: unary_##way<Sqrt>(f, op); break;                          \
  case MicroCode::inv: unary_##way<Inv>(f, op); break;                            \
  case MicroCode::exp: unary_##way<Exp>(f, op); break;                            \
  case MicroCode::log: unary_##way<Log>(f, op); break;                            \
  case MicroCode::log1p: unary_##way<Log1p>(f, op); break;                        \
  case MicroCode::log1m: unary_##way<Log1m>(f, op); break;                        \
  case MicroCode::inv_logit: unary_##way<InvLogit>(f, op); break;                 \
  case MicroCode::log1p_exp: unary_##way<Log1pExp>(f, op); break;                 \
  case MicroCode::tanh: unary_##way<Tanh>(f, op); break;                          \
  case MicroCode::standard_logistic: unary_##way<StandardLogistic>(f, op); break; \
  case MicroCode::log_sum_exp_2: log_sum_exp_2_##way(f, op); break;               \
  case MicroCode::fma: fma_##way(f, op); break;                                   \
  case MicroCode::sum: sum_##way(f, op); break;                                   \
  case MicroCode::log_sum_exp: log_sum_exp_##way(f, op); break;                   \
  case MicroCode::dot_product: dot_##way(f, op); break;                           \
  case MicroCode::add_many: many_##way<Add, 2>(f, op); break;                     \
  case MicroCode::subtract_many: many_##way<Subtract, 2>(f, op); break;           \
  case MicroCode::multiply_many: many_##way<Multiply, 2>(f, op); break;           \
  case MicroCode::fma_many: many_##way<Multiply, 3>(f, op); break;                \
  case MicroCode::recurrence_shared: recur_##way<false>(f, op); break;            \
  case MicroCode::recurrence: recur_##way<true>(f, op); break;                    \
  case MicroCode::normal_weighted: normal_weighted_##way(f, op); break;           \
  case MicroCode::normal_shared: normal_shared_##way(f, op); break;               \
  case MicroCode::elementwise: elementwise_##way(f, op); break;                   \
  case MicroCode::density: density_##way(f, op); break;

struct Piece {
  const PackedCall& call;
  std::size_t first;
};

template <std::size_t kWidth, bool kTight>
KULLBACK_INLINE Frame<kWidth, kTight> frame_of(const Piece& piece) {
  const PackedCall& call = piece.call;
  double* adjoints = call.adjoints != nullptr ? call.adjoints + piece.first : nullptr;
  return {*call.packed, call.lanes, piece.first, call.values + piece.first, adjoints, call.scratch};
}

template <std::size_t kWidth, bool kTight>
struct Forward {
  KULLBACK_INLINE static void run(const Piece& piece) {
    const auto f = frame_of<kWidth, kTight>(piece);
    const MicroOp* const end = f.packed.ops.data() + f.packed.ops.size();
    for (const MicroOp* at = f.packed.ops.data(); at != end; ++at) {
      const MicroOp& op = *at;
      switch (op.code) { KULLBACK_MICRO_CASES(forward) }
    }
  }
};

template <std::size_t kWidth, bool kTight>
struct Backward {
  KULLBACK_INLINE static void run(const Piece& piece) {
    const auto f = frame_of<kWidth, kTight>(piece);
    const MicroOp* const begin = f.packed.ops.data();
    for (const MicroOp* at = begin + f.packed.ops.size(); at-- != begin;) {
      const MicroOp& op = *at;
      switch (op.code) { KULLBACK_MICRO_CASES(backward) }
    }
  }
};

template <template <std::size_t, bool> class Way>
void run_pieces(const PackedCall& call) {
  if (call.lanes == 1) return math::dispatch<Way<1, true>>(Piece{call, 0});
  if (call.lanes == 8) return math::dispatch<Way<8, true>>(Piece{call, 0});
  std::size_t first = 0;
  for (; first + 16 <= call.lanes; first += 16) math::dispatch<Way<16, false>>(Piece{call, first});
  if ((call.lanes & 8) != 0) {
    math::dispatch<Way<8, false>>(Piece{call, first});
    first += 8;
  }
  if ((call.lanes & 4) != 0) {
    math::dispatch<Way<4, false>>(Piece{call, first});
    first += 4;
  }
  if ((call.lanes & 2) != 0) {
    math::dispatch<Way<2, false>>(Piece{call, first});
    first += 2;
  }
  if ((call.lanes & 1) != 0) math::dispatch<Way<1, false>>(Piece{call, first});
}

}  // namespace

void run_forward(const PackedCall& call) { run_pieces<Forward>(call); }
void run_backward(const PackedCall& call) { run_pieces<Backward>(call); }

}  // namespace kullback::tape
