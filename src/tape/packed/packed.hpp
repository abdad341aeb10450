// Many small operations as one instruction. Recurrences and tiny models consist of scalar operations for
// which the call of a batched kernel would cost more than the work: here each is 16 bytes in one array, run
// by one loop with a switch. All operands are slots (constants have slots too), so that no operation asks
// what its operands are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "math/distribution.hpp"
#include "math/elementwise.hpp"

namespace kullback::tape {

enum class MicroCode : std::uint16_t {
  // result = f(a), or f(a, b)
  add,
  subtract,
  multiply,
  divide,
  minus,
  square,
  sqrt,
  inv,
  exp,
  log,
  log1p,
  log1m,
  inv_logit,
  log1p_exp,
  tanh,
  standard_logistic,  // log density
  log_sum_exp_2,
  // operands in the pool from a on; n of them (products: n pairs)
  fma,
  sum,
  log_sum_exp,  // b: where its n shares are: n * lanes numbers of scratch from b * lanes on
  dot_product,
  // n elements; pool: for each operand its slots, or one where bit j of b says that it serves all
  add_many,
  subtract_many,
  multiply_many,
  fma_many,
  // x[i] = m[i] * x[i-1] + c[i] for b steps; result: the first of b slots. Pool: the slot of x[0], then one m
  // for
  // all steps and the c of each (shared), or (m, c) of each
  recurrence_shared,
  recurrence,
  // sum over n elements of log normal(y | mu, sigma); pool: a constant to add, then
  // (bits of b: 1 y varies, 2 mu varies, 4 - n log sigma is kept)
  normal_weighted,  // (y, mu, 1 / sigma) of each: sigma is data, log sigma in the constant
  normal_shared,    // sigma, then (y, mu) of each
  // a: operands in the pool; b: number of the function or density
  elementwise,
  density,
};

struct MicroOp {
  MicroCode code;
  std::uint16_t n;
  std::uint32_t result;
  std::uint32_t a;
  std::uint32_t b;
};

struct PackedDensity {
  const math::Density* density = nullptr;
  math::Terms terms;
  std::uint32_t scratch = 0;  // partials: n * lanes numbers from scratch * lanes on
};

struct Packed {
  std::vector<MicroOp> ops;
  std::vector<std::uint32_t> pool;
  std::vector<const math::Elementwise*> functions;
  std::vector<PackedDensity> densities;
  std::uint32_t scratch_size = 0;  // per lane
};

// The code of an elementwise function or array function that has one, else `elementwise`.
MicroCode micro_code(const math::Elementwise& f);

// What an operation reads, and how many slots it writes, for people and for checks.
struct MicroReads {
  std::vector<std::uint32_t> slots;
  std::uint32_t results = 1;
};
MicroReads reads_of(const Packed& packed, const MicroOp& op);
std::string micro_name(const Packed& packed, const MicroOp& op);

// The code for many elements of an operation, or `elementwise` where there is none.
MicroCode many_code(MicroCode code);

// Turns runs of multiply-adds and additions that each read the one before into recurrences. `one`: a slot
// that holds 1.
void roll_recurrences(Packed& packed, std::uint32_t one);

struct PackedCall {
  const Packed* packed = nullptr;
  std::size_t lanes = 1;
  double* values = nullptr;
  double* adjoints = nullptr;  // backward only
  double* scratch = nullptr;
};

void run_forward(const PackedCall& call);
void run_backward(const PackedCall& call);

}  // namespace kullback::tape
