// The Gaussian dynamic linear model: states m_t of n numbers, observations y_t (columns of y) of r numbers,
//   state_t = G state_{t-1} + w, w ~ N(0, W),   y_t = F' state_t + v, v ~ N(0, V),   state_0 ~ N(m0, C0).
// The likelihood by the Kalman filter, for t = 1..T:
//   a = G m,  R = G C G' + W,  e = y - F' a,  B = R F,  Q = F' R F + V,  u = Q^-1 e,
//   log density += -(log|Q| + e' u)/2 - r log(2 pi)/2,   m <- a + B u,   C <- R - B Q^-1 B'.
// Backwards, with s and M the adjoints of the new m and C, P = Q^-1, b = P B' s:
//   e~ = b - u,  Q~ = (u u' - P)/2 - sym(b u') + P B' M B P,   B~ = s u' - 2 M B P,
//   a~ = s - F e~,   F~ += -a e~' + R B~ + 2 B Q~,   R~ = M + F Q~ F' + sym(B~ F'),
//   G~ += a~ m' + 2 R~ G C,  W~ += R~,  V~ += Q~,  y~ = e~,  s <- G' a~,  M <- G' R~ G.
// A vector V is the diagonal of the matrix.
#include <algorithm>

#include "math/array_ops/density_linear.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr std::string_view kFunction = "gaussian_dlm_obs_lpdf";
enum Argument : std::size_t { kY, kF, kG, kV, kW, kM0, kC0 };

// What a step leaves for the way back.
struct Step {
  double* m;  // before the step
  View c;
  double* a;
  View r;
  View b;
  View p;
  double* u;
};

struct Model {
  const Frame& frame;
  std::size_t n;
  std::size_t r;
  std::size_t steps;
  ConstView f;
  ConstView g;

  explicit Model(const Frame& given)
      : frame(given),
        n(given.arguments[kG].shape.rows),
        r(given.arguments[kY].shape.rows),
        steps(given.arguments[kY].shape.cols),
        f(view(given, kF)),
        g(view(given, kG)) {}

  static std::size_t step_size(std::size_t n, std::size_t r) { return 2 * n + 2 * n * n + n * r + r * r + r; }

  Step step(std::size_t t) const {
    Work work(frame.work + t * step_size(n, r));
    Step result;
    result.m = work.take(n);
    result.c = work.matrix(n, n);
    result.a = work.take(n);
    result.r = work.matrix(n, n);
    result.b = work.matrix(n, r);
    result.p = work.matrix(r, r);
    result.u = work.take(r);
    return result;
  }
};

void make_symmetric(const View& a) {
  for (std::size_t j = 0; j < a.rows; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const double mean = 0.5 * (a.data[i + j * a.rows] + a.data[j + i * a.rows]);
      a.data[i + j * a.rows] = a.data[j + i * a.rows] = mean;
    }
  }
}

// c = a' s a for symmetric s, through a buffer of s.rows x a.cols.
void sandwich(const ConstView& a, const ConstView& s, double* buffer, const View& c) {
  const View product{buffer, s.rows, a.width()};
  dense::multiply(s, a, product);
  dense::multiply(dense::t(a), product, c);
}

// One step forward; gives -(log|Q| + e'u)/2 and leaves the new state in `next`.
double filter(const Model& model, std::size_t t, const Step& now, double* next_m, const View& next_c,
              Work work) {
  const std::size_t n = model.n;
  const std::size_t r = model.r;
  double* buffer = work.take(n * std::max(n, r));
  const View q = work.matrix(r, r);
  const View lower = work.matrix(r, r);
  dense::multiply(model.g, now.m, now.a);
  sandwich(dense::t(model.g), now.c, buffer, now.r);
  add_scaled(1, view(model.frame, kW), now.r);
  dense::multiply(now.r, model.f, now.b);
  dense::multiply(dense::t(model.f), now.b, q);
  const Shape& v = model.frame.arguments[kV].shape;
  for (std::size_t i = 0; i < r; ++i) {
    if (v.cols == 1 && r != 1) {
      q.data[i + i * r] += model.frame.data(kV)[i];
    } else {
      for (std::size_t j = 0; j < r; ++j) q.data[i + j * r] += model.frame.data(kV)[i + j * r];
    }
  }
  factor(kFunction, "covariance of the predicted observation", q, lower);
  inverse_from_factor(lower, now.p);
  double* e = q.data;  // Q itself is no longer needed
  const double* y = model.frame.data(kY) + t * r;
  dense::multiply(dense::t(model.f), ConstView{now.a, n, 1}, View{e, r, 1});
  for (std::size_t i = 0; i < r; ++i) e[i] = y[i] - e[i];
  dense::multiply(now.p, e, now.u);
  const double value = -log_diagonal(lower) - 0.5 * dense::dot(e, now.u, r);
  std::copy_n(now.a, n, next_m);
  dense::add_product(now.b, now.u, next_m);
  dense::copy(now.r, next_c);
  const View gain{buffer, n, r};
  dense::multiply(now.b, now.p, gain);
  dense::add_product(gain, dense::t(now.b), next_c, -1);
  return value;
}

// One step backward; s and m_adjoint become those of the state before.
void smooth(const Model& model, std::size_t t, const Step& at, double* s, const View& m_adjoint, Work work) {
  const std::size_t n = model.n;
  const std::size_t r = model.r;
  const Frame& frame = model.frame;
  double* b = work.take(r);
  double* e_adjoint = work.take(r);
  double* a_adjoint = work.take(n);
  const View bp = work.matrix(n, r);
  const View mbp = work.matrix(n, r);
  const View q_adjoint = work.matrix(r, r);
  const View b_adjoint = work.matrix(n, r);
  const View r_adjoint = work.matrix(n, n);
  const View square = work.matrix(n, n);
  double* buffer = work.take(n * std::max(n, r));
  dense::multiply(at.b, at.p, bp);
  dense::multiply(dense::t(bp), ConstView{s, n, 1}, View{b, r, 1});
  dense::multiply(m_adjoint, bp, mbp);
  dense::multiply(dense::t(bp), mbp, q_adjoint);
  for (std::size_t j = 0; j < r; ++j) {
    e_adjoint[j] = b[j] - at.u[j];
    for (std::size_t i = 0; i < r; ++i) {
      q_adjoint.data[i + j * r] +=
          0.5 * (at.u[i] * at.u[j] - at.p.data[i + j * r]) - 0.5 * (b[i] * at.u[j] + b[j] * at.u[i]);
    }
    for (std::size_t i = 0; i < n; ++i) b_adjoint.data[i + j * n] = s[i] * at.u[j] - 2 * mbp.data[i + j * n];
  }
  dense::multiply(model.f, e_adjoint, a_adjoint);
  for (std::size_t i = 0; i < n; ++i) a_adjoint[i] = s[i] - a_adjoint[i];
  // R~ = M + F Q~ F' + sym(B~ F').
  sandwich(dense::t(model.f), q_adjoint, buffer, r_adjoint);
  dense::multiply(b_adjoint, dense::t(model.f), square);
  add_scaled(1, square, r_adjoint);
  make_symmetric(r_adjoint);
  add_scaled(1, m_adjoint, r_adjoint);
  if (frame.wants(kF)) {
    const View f_adjoint = partial_view(frame, kF);
    for (std::size_t j = 0; j < r; ++j) {
      for (std::size_t i = 0; i < n; ++i) f_adjoint.data[i + j * n] -= at.a[i] * e_adjoint[j];
    }
    dense::add_product(at.r, b_adjoint, f_adjoint);
    dense::add_product(at.b, q_adjoint, f_adjoint, 2);
  }
  if (frame.wants(kG)) {
    dense::add_outer(a_adjoint, at.m, partial_view(frame, kG));
    dense::multiply(r_adjoint, model.g, square);
    dense::add_product(square, at.c, partial_view(frame, kG), 2);
  }
  if (frame.wants(kW)) add_scaled(1, r_adjoint, partial_view(frame, kW));
  if (frame.wants(kY)) dense::add_scaled(1, e_adjoint, frame.partials[kY] + t * r, r);
  if (frame.wants(kV)) {
    if (frame.size(kV) == r) {
      for (std::size_t i = 0; i < r; ++i) frame.partials[kV][i] += q_adjoint.data[i + i * r];
    } else {
      dense::add_scaled(1, q_adjoint.data, frame.partials[kV], r * r);
    }
  }
  std::fill_n(s, n, 0.0);
  dense::add_transposed_product(model.g, a_adjoint, s);
  sandwich(model.g, r_adjoint, buffer, m_adjoint);
}

struct GaussianDlm {
  static void check_shapes(Arguments arguments) {
    const auto shape = [&](Argument j) -> const Shape& { return arguments[j].shape; };
    check_size_match(kFunction, "columns of F", shape(kF).cols, "rows of y", shape(kY).rows);
    check_size_match(kFunction, "rows of F", shape(kF).rows, "rows of G", shape(kG).rows);
    check_size_match(kFunction, "rows of V", shape(kV).rows, "rows of y", shape(kY).rows);
    check_size_match(kFunction, "rows of W", shape(kW).rows, "rows of G", shape(kG).rows);
    check_size_match(kFunction, "size of m0", shape(kM0).rows, "rows of G", shape(kG).rows);
    check_size_match(kFunction, "rows of C0", shape(kC0).rows, "rows of G", shape(kG).rows);
    check_square(kFunction, "G", shape(kG));
    check_square(kFunction, "W", shape(kW));
    check_square(kFunction, "C0", shape(kC0));
    if (shape(kV).cols != 1) check_square(kFunction, "V", shape(kV));
  }

  static std::size_t work_size(Arguments arguments) {
    const std::size_t n = arguments[kG].shape.rows;
    const std::size_t r = arguments[kY].shape.rows;
    const std::size_t most = std::max(n, r);
    return (arguments[kY].shape.cols + 1) * Model::step_size(n, r) + 12 * (most + 1) * (most + 1);
  }

  static double log_density(const Frame& frame) {
    constexpr std::string_view names[] = {"y", "F", "G", "V", "W", "m0", "C0"};
    for (std::size_t j = 0; j < 7; ++j) check_finite(kFunction, names[j], values_of(frame, j));
    for (const Argument j : {kW, kC0}) check_symmetric(kFunction, names[j], matrix_of(frame, j));
    if (frame.arguments[kV].shape.cols == 1) {
      check_nonnegative(kFunction, "V", values_of(frame, kV));
    } else {
      check_symmetric(kFunction, "V", matrix_of(frame, kV));
    }
    const Model model(frame);
    if (model.steps == 0 || model.r == 0) return 0;
    const double numbers = static_cast<double>(model.r * model.steps);
    double value = frame.terms.normalized ? -kHalfLogTwoPi * numbers : 0;
    if (!frame.terms.keep(127U)) return value;
    double* after = frame.work + (model.steps + 1) * Model::step_size(model.n, model.r);
    const Step start = model.step(0);
    std::copy_n(frame.data(kM0), model.n, start.m);
    dense::copy(view(frame, kC0), start.c);
    for (std::size_t t = 0; t < model.steps; ++t) {
      const Step next = model.step(t + 1);
      value += filter(model, t, model.step(t), next.m, next.c, Work(after));
    }
    if (std::any_of(frame.partials.begin(), frame.partials.end(),
                    [](const double* p) { return p != nullptr; })) {
      Work work(after);
      double* s = work.take(model.n);
      const View m_adjoint = work.matrix(model.n, model.n);
      std::fill_n(s, model.n, 0.0);
      std::fill_n(m_adjoint.data, m_adjoint.size(), 0.0);
      for (std::size_t t = model.steps; t-- > 0;) smooth(model, t, model.step(t), s, m_adjoint, work);
      if (frame.wants(kM0)) dense::add_scaled(1, s, frame.partials[kM0], model.n);
      if (frame.wants(kC0)) add_scaled(1, m_adjoint, partial_view(frame, kC0));
    }
    return value;
  }
};

}  // namespace
}  // namespace density

void append_gaussian_dlm_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  for (const Type& noise : {kVector, kMatrix}) {
    ops.push_back(
        density_op<GaussianDlm>(kFunction, {kMatrix, kMatrix, kMatrix, noise, kMatrix, kVector, kMatrix}));
  }
}

}  // namespace kullback::math
