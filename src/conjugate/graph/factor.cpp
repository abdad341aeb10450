// Sums of independent terms s = offset + sum_t c_t v_t:  E s = offset + sum c_t E v_t,  Var s = sum c_t^2 Var
// v_t, v = a, a r, a b or a vector's inner product a'r, a'b with E v^2 = tr(E aa' E bb'). What s says, g_1 s
// + g_2 s^2, is of term t
//   (c g_1 + 2 c g_2 (E s - c E v_t)) v_t + c^2 g_2 v_t^2.
#include "conjugate/graph/factor.hpp"

#include "conjugate/families/symmetric.hpp"

namespace kullback::conjugate {
namespace {

struct Pair {
  double first, second;  // E v, E v^2
};

Pair scalar_term(const double* a, const double* b, bool b_is_constant) {
  if (b == nullptr) return {a[0], a[1]};
  return {a[0] * b[0], a[1] * (b_is_constant ? b[0] * b[0] : b[1])};
}

Pair vector_term(std::size_t d, const double* a, const double* b, bool b_is_constant) {
  Pair v{0, 0};
  for (std::size_t i = 0; i < d; ++i) {
    v.first += a[i] * b[i];
    const double* aa = a + d + packed(i, 0);
    if (b_is_constant) {
      for (std::size_t j = 0; j <= i; ++j) v.second += aa[j] * b[i] * b[j];
    } else {
      const double* bb = b + d + packed(i, 0);
      for (std::size_t j = 0; j < i; ++j) v.second += 0.5 * aa[j] * bb[j];
      v.second += aa[i] * bb[i];
    }
  }
  return v;
}

bool is_constant(const Wire& wire) { return wire.node->family == nullptr; }

Pair moments(const Term& term, std::size_t c, std::size_t k) {
  const double* a = term.a.moments(c, k);
  const double* b = term.b ? term.b->moments(c, k) : nullptr;
  const bool constant = term.b && is_constant(*term.b);
  return term.d == 0 ? scalar_term(a, b, constant) : vector_term(term.d, a, b, constant);
}

}  // namespace

std::size_t scratch_size(const SlotWiring& slot) {
  return slot.kind == SlotWiring::Kind::stack ? slot.copies * slot.wire.node->stride : 2;
}

const double* gather(const SlotWiring& slot, std::size_t c, std::size_t k, double* scratch) {
  if (slot.kind == SlotWiring::Kind::node) return slot.wire.moments(c, k);
  if (slot.kind == SlotWiring::Kind::stack) {
    const std::size_t stride = slot.wire.node->stride;
    for (std::size_t i = 0; i < slot.copies; ++i) {
      const double* from = slot.wire.moments(c, k) + i * slot.copy_stride * stride;
      for (std::size_t j = 0; j < stride; ++j) scratch[i * stride + j] = from[j];
    }
    return scratch;
  }
  double mean = slot.offset, variance = 0;
  for (const Term& term : slot.terms) {
    const Pair v = moments(term, c, k);
    mean += term.scale * v.first;
    variance += term.scale * term.scale * (v.second - v.first * v.first);
  }
  scratch[0] = mean;
  scratch[1] = mean * mean + variance;
  return scratch;
}

void scatter_to_term(const SlotWiring& slot, std::size_t use, std::size_t c, std::size_t k, const double* g,
                     std::span<double> natural) {
  const Term& term = slot.terms[use / 2];
  double rest = slot.offset;
  for (const Term& other : slot.terms)
    if (&other != &term) rest += other.scale * moments(other, c, k).first;
  const double g1 = term.scale * (g[0] + 2 * g[1] * rest);
  const double g2 = term.scale * term.scale * g[1];

  const bool to_b = use % 2 == 1;
  const Wire& target = to_b ? *term.b : term.a;
  double* to = &natural[target.at(c, k) * target.node->stride];
  if (!term.b) {
    to[0] += g1;
    to[1] += g2;
    return;
  }
  const Wire& other = to_b ? term.a : *term.b;
  const double* o = other.moments(c, k);
  const bool constant = is_constant(other);
  if (term.d == 0) {
    to[0] += g1 * o[0];
    to[1] += g2 * (constant ? o[0] * o[0] : o[1]);
    return;
  }
  for (std::size_t i = 0; i < term.d; ++i) {
    to[i] += g1 * o[i];
    double* row = to + term.d + packed(i, 0);
    const double* oo = o + term.d + packed(i, 0);
    for (std::size_t j = 0; j <= i; ++j)
      row[j] += g2 * (constant ? o[i] * o[j] : i == j ? oo[j] : 0.5 * oo[j]);
  }
}

}  // namespace kullback::conjugate
