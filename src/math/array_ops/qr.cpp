// The QR decomposition A = Q R of an m x n matrix by Householder reflections, signs such that R has a
// diagonal >= 0. qr_thin_Q, qr_thin_R: k = min(m, n) columns of Q and rows of R; qr_Q, qr_R: all m of them.
//
// Adjoint for m >= n (Walter & Lehmann 2012), with copyltu(M) the symmetric matrix with the lower triangle of
// M:
//   M = R R_' - Q_'Q,   A_ += (Q_ + Q copyltu(M)) R'^-1
// For m < n, A = [X Y], R = [U W], X = Q U, W = Q'Y (Roberts & Roberts 2020, arXiv:2009.10071):
//   Y_ += Q W_,  Q_ += Y W_',  X_ by the square case.
// The full Q of a tall matrix, Q = [Q1 Q2]: with reflections Q1 D = H (D the signs that were turned), the
// columns Q2 are
//   Q2 = E2 + (H - E1) (T^-1)' B',  T = top of H - I,  B = bottom of H
// (Ballard et al. 2014 rebuild reflections so), which gives H_ from Q2_. Where T is singular (A was
// triangular already) Q2 is taken to turn as little as it can: Q1_ -= Q2 Q2_' Q1.
#include <cmath>

#include "math/array_ops/array_support.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;

enum class Part { q, r };
enum class Width { thin, full };

std::size_t thin_size(const Shape& a) { return std::min(a.rows, a.cols); }

struct Wanted {
  Part part;
  Width width;

  // The columns of Q that are computed: all, only for the full Q.
  std::size_t q_columns(const Shape& a) const {
    return part == Part::q && width == Width::full ? a.rows : thin_size(a);
  }
  std::size_t r_rows(const Shape& a) const { return width == Width::full ? a.rows : thin_size(a); }
};

// Scratch: Q, R (k x n), the signs D; then, for the backward pass, Q_, R_ and M.
struct Factors {
  View q;   // the first k columns
  View q2;  // the others, if any
  View r;
  double* signs;
  View q_bar;
  View r_bar;
  View middle;

  Factors(const ArrayCall& call, Wanted wanted) {
    const auto [m, n, count] = call.arguments[0].shape;
    const std::size_t k = std::min(m, n);
    double* next = call.scratch;
    const auto take = [&next](std::size_t rows, std::size_t cols) {
      const View view{next, rows, cols};
      next += rows * cols;
      return view;
    };
    q = take(m, k);
    q2 = take(m, wanted.q_columns(call.arguments[0].shape) - k);
    r = take(k, n);
    signs = take(k, 1).data;
    q_bar = take(m, k);
    r_bar = take(k, n);
    middle = take(k, k);
  }
};

template <Part part, Width width>
std::size_t scratch(Arguments arguments) {
  const Shape& a = arguments[0].shape;
  const std::size_t k = thin_size(a);
  return a.rows * Wanted{part, width}.q_columns(a) + k * (2 * a.cols + 1) + a.rows * k + k * k;
}

template <Part part, Width width>
Shape shape(Arguments arguments) {
  const Shape& a = arguments[0].shape;
  if (a.size() == 0) {
    return {0, 0, 1};
  }
  const std::size_t inner = Wanted{part, width}.r_rows(a);
  return part == Part::q ? Shape{a.rows, inner, 1} : Shape{inner, a.cols, 1};
}

void decompose(const ArrayCall& call, Wanted wanted) {
  if (size(call, 0) == 0) {
    return;
  }
  const Factors f(call, wanted);
  const std::size_t m = f.q.rows;
  const std::size_t k = f.q.cols;
  linear::qr(linear::ConstView(data(call, 0), m, f.r.cols), linear::View(f.q.data, m, k + f.q2.cols),
             linear::View(f.r.data, k, f.r.cols));
  for (std::size_t i = 0; i < k; ++i) {
    f.signs[i] = f.r.data[i + i * k] < 0 ? -1 : 1;
    for (std::size_t row = 0; row < m; ++row) {
      f.q.data[row + i * m] *= f.signs[i];
    }
  }
  for (std::size_t j = 0; j < f.r.cols; ++j) {
    for (std::size_t i = 0; i < k; ++i) {
      f.r.data[i + j * k] *= f.signs[i];
    }
  }
  if (wanted.part == Part::q) {
    std::copy_n(f.q.data, f.q.size() + f.q2.size(), call.result);
    return;
  }
  const std::size_t height = wanted.r_rows(call.arguments[0].shape);
  for (std::size_t j = 0; j < f.r.cols; ++j) {
    std::fill_n(call.result + j * height, height, 0.0);
    std::copy_n(f.r.data + j * k, k, call.result + j * height);
  }
}

void scale_columns(const View& a, const double* by) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      a.data[i + j * a.rows] *= by[j];
    }
  }
}

// Adds to the adjoint of Q1 what comes from that of Q2.
void add_complement_adjoint(const Factors& f, const double* q2_bar_data) {
  const std::size_t m = f.q.rows;
  const std::size_t k = f.q.cols;
  const std::size_t p = f.q2.cols;
  const ConstView q2_bar{q2_bar_data, m, p, false};
  std::vector<double> room(2 * m * k + 3 * k * k + 3 * p * k + k);
  double* next = room.data();
  const auto take = [&next](std::size_t rows, std::size_t cols) {
    const View view{next, rows, cols};
    next += rows * cols;
    return view;
  };
  const View g = take(m, k);  // H - E1
  const View h_bar = take(m, k);
  const View lu = take(k, k);  // of T
  const View w = take(k, k);   // T^-1
  const View w_bar = take(k, k);
  const View b = take(p, k);  // bottom of H
  const View bw = take(p, k);
  const View qg = take(p, k);  // Q2_' G
  double* pivots = take(k, 1).data;

  std::copy_n(f.q.data, m * k, g.data);
  scale_columns(g, f.signs);
  for (std::size_t j = 0; j < k; ++j) {
    g.data[j + j * m] -= 1;
    std::copy_n(g.data + j * m, k, lu.data + j * k);
    std::copy_n(g.data + j * m + k, p, b.data + j * p);
  }
  dense::factor_lu(lu, pivots);
  dense::set_identity(w);
  dense::solve_lu(lu, pivots, w);
  const bool singular = !std::all_of(w.data, w.data + w.size(), [](double x) { return std::isfinite(x); });
  if (singular) {
    dense::multiply(dense::t(q2_bar), f.q, qg);
    dense::add_product(f.q2, qg, f.q_bar, -1);
    return;
  }
  dense::multiply(b, w, bw);
  dense::multiply(q2_bar, bw, h_bar);  // by G
  dense::multiply(dense::t(q2_bar), g, qg);
  dense::multiply(dense::t(b), qg, w_bar);
  dense::multiply(qg, dense::t(w), bw);  // by B
  dense::multiply(dense::t(w), w_bar, lu);
  dense::multiply(lu, dense::t(w), w_bar);  // by T, negated
  for (std::size_t j = 0; j < k; ++j) {
    dense::add_scaled(-1, w_bar.data + j * k, h_bar.data + j * m, k);
    dense::add_scaled(1, bw.data + j * p, h_bar.data + j * m + k, p);
  }
  scale_columns(h_bar, f.signs);
  dense::add(h_bar, f.q_bar);
}

void add_adjoint(const ArrayCall& call, Wanted wanted) {
  if (size(call, 0) == 0) {
    return;
  }
  const Factors f(call, wanted);
  const std::size_t m = f.q.rows;
  const std::size_t k = f.q.cols;
  const std::size_t n = f.r.cols;
  std::fill_n(f.q_bar.data, f.q_bar.size(), 0.0);
  std::fill_n(f.r_bar.data, f.r_bar.size(), 0.0);
  if (wanted.part == Part::q) {
    std::copy_n(call.result_adjoint, m * k, f.q_bar.data);
    if (f.q2.cols > 0) {
      add_complement_adjoint(f, call.result_adjoint + m * k);
    }
  } else {
    const std::size_t height = wanted.r_rows(call.arguments[0].shape);
    for (std::size_t j = 0; j < n; ++j) {
      std::copy_n(call.result_adjoint + j * height, std::min(j + 1, k), f.r_bar.data + j * k);
    }
  }
  if (n > k) {
    const ConstView y{data(call, 0) + m * k, m, n - k, false};
    const ConstView w_bar{f.r_bar.data + k * k, k, n - k, false};
    dense::add_product(f.q, w_bar, View{adjoint(call, 0) + m * k, m, n - k});
    dense::add_product(y, dense::t(w_bar), f.q_bar);
  }
  const ConstView u{f.r.data, k, k, false};
  dense::multiply(u, ConstView{f.r_bar.data, k, k, true}, f.middle);
  dense::add_product(dense::t(f.q_bar), f.q, f.middle, -1);
  dense::mirror_lower(f.middle);
  dense::add_product(f.q, f.middle, f.q_bar);
  // x_ = q_bar U'^-1: U' is lower triangular; it is turned around where M was.
  dense::copy(dense::t(u), f.middle);
  dense::solve_lower_right(f.middle, f.q_bar);
  dense::add_scaled(1, f.q_bar.data, adjoint(call, 0), m * k);
}

template <Part part, Width width>
void append_part(std::vector<ArrayOp>& ops, std::string_view name) {
  append(ops, name, {{kMatrix}},
         {shape<part, width>, scratch<part, width>,
          [](const ArrayCall& call) {
            decompose(call, {part, width});
          },
          [](const ArrayCall& call) {
            add_adjoint(call, {part, width});
          }});
}

}  // namespace

void append_qr_ops(std::vector<ArrayOp>& ops) {
  append_part<Part::q, Width::thin>(ops, "qr_thin_Q");
  append_part<Part::r, Width::thin>(ops, "qr_thin_R");
  append_part<Part::q, Width::full>(ops, "qr_Q");
  append_part<Part::r, Width::full>(ops, "qr_R");
}

}  // namespace kullback::math
