// Solutions of linear systems.
//   left:  C = A^-1 B:  W = A'^-1 C_,  B_ += W,  A_ -= W C'
//   right: C = B A^-1:  W = C_ A'^-1,  B_ += W,  A_ -= C' W
// A is general (LU with partial pivoting), lower triangular (what stands above the diagonal is not read, and
// its adjoint stays zero), or symmetric positive definite (Cholesky). A singular general matrix gives
// infinities, as in Stan. Giles (2008). Scratch: the factor of A, pivots, W, and room to turn B around or to
// hold W C'.
#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;

enum class Side { left, right };
enum class Form { general, lower, spd };

template <Side side, Form form>
struct Solve {
  static constexpr std::size_t kA = side == Side::left ? 0 : 1;
  static constexpr std::size_t kB = 1 - kA;

  static constexpr std::string_view name() {
    if constexpr (side == Side::left) {
      return form == Form::general ? "mdivide_left"
             : form == Form::lower ? "mdivide_left_tri_low"
                                   : "mdivide_left_spd";
    } else {
      return form == Form::general ? "mdivide_right"
             : form == Form::lower ? "mdivide_right_tri_low"
                                   : "mdivide_right_spd";
    }
  }

  static Shape shape(Arguments arguments) {
    check_square(name(), "A", arguments[kA].shape);
    if constexpr (side == Side::left) {
      check_multiplicable(name(), "A", arguments[kA].shape, "b", arguments[kB].shape);
    } else {
      check_multiplicable(name(), "b", arguments[kB].shape, "A", arguments[kA].shape);
    }
    return arguments[kB].shape;
  }

  static std::size_t scratch(Arguments arguments) {
    const std::size_t n = arguments[kA].shape.rows;
    return n * n + n + arguments[kB].shape.size() + std::max(n * n, arguments[kB].shape.size());
  }

  struct Room {
    View factor;
    double* pivots;
    View w;
    double* more;
  };

  static Room room(const ArrayCall& call) {
    const std::size_t n = rows(call, kA);
    double* pivots = call.scratch + n * n;
    double* w = pivots + n;
    return {{call.scratch, n, n}, pivots, {w, rows(call, kB), cols(call, kB)}, w + size(call, kB)};
  }

  // b = A^-1 b or b A^-1; with A' in the place of A where `transposed`.
  static void solve(const ArrayCall& call, bool transposed, const View& b) {
    const auto [factor, pivots, w, more] = room(call);
    const ConstView a = form == Form::lower ? matrix(call, kA) : factor;
    if constexpr (form == Form::general && side == Side::left) {
      dense::solve_lu(transposed ? dense::t(a) : a, pivots, b);
    } else if constexpr (form == Form::general) {
      const View turned{more, b.cols, b.rows};
      dense::copy(dense::t(b), turned);
      dense::solve_lu(transposed ? a : dense::t(a), pivots, turned);
      dense::copy(dense::t(turned), b);
    } else if constexpr (form == Form::lower && side == Side::left) {
      dense::solve_lower_left(transposed ? dense::t(a) : a, b);
    } else if constexpr (form == Form::lower) {
      dense::solve_lower_right(transposed ? dense::t(a) : a, b);
    } else if constexpr (side == Side::left) {
      dense::solve_lower_left(a, b);
      dense::solve_lower_left(dense::t(a), b);
    } else {
      dense::solve_lower_right(dense::t(a), b);
      dense::solve_lower_right(a, b);
    }
  }

  static void forward(const ArrayCall& call) {
    const auto [factor, pivots, w, more] = room(call);
    if constexpr (form == Form::general) {
      dense::copy(matrix(call, kA), factor);
      dense::factor_lu(factor, pivots);
    } else if constexpr (form == Form::spd) {
      check_matrix_symmetric(name(), "A", matrix(call, kA));
      dense::copy(matrix(call, kA), factor);
      if (!dense::factor_cholesky(factor)) {
        throw_not_positive_definite(name(), "A");
      }
    }
    const View c{call.result, w.rows, w.cols};
    dense::copy(matrix(call, kB), c);
    solve(call, false, c);
  }

  static void backward(const ArrayCall& call) {
    const auto [factor, pivots, w, more] = room(call);
    std::copy_n(call.result_adjoint, w.size(), w.data);
    solve(call, true, w);
    if (varies(call, kB)) {
      dense::add(w, matrix_adjoint(call, kB));
    }
    if (!varies(call, kA)) {
      return;
    }
    const ConstView c{call.result, w.rows, w.cols, false};
    const ConstView first = side == Side::left ? ConstView(w) : dense::t(c);
    const ConstView second = side == Side::left ? dense::t(c) : ConstView(w);
    if constexpr (form == Form::lower) {
      const View a_bar{more, factor.rows, factor.cols};
      dense::multiply(first, second, a_bar);
      dense::clear_upper(a_bar);
      dense::add_scaled(-1, a_bar.data, adjoint(call, kA), a_bar.size());
    } else {
      dense::add_product(first, second, matrix_adjoint(call, kA), -1);
    }
  }

  static void append_to(std::vector<ArrayOp>& ops) {
    const std::vector<Type> vector_form =
        side == Side::left ? std::vector<Type>{kMatrix, kVector} : std::vector<Type>{kRowVector, kMatrix};
    append(ops, name(), {vector_form, {kMatrix, kMatrix}}, {shape, scratch, forward, backward});
  }
};

}  // namespace

void append_solve_ops(std::vector<ArrayOp>& ops) {
  Solve<Side::left, Form::general>::append_to(ops);
  Solve<Side::left, Form::lower>::append_to(ops);
  Solve<Side::left, Form::spd>::append_to(ops);
  Solve<Side::right, Form::general>::append_to(ops);
  Solve<Side::right, Form::lower>::append_to(ops);
  Solve<Side::right, Form::spd>::append_to(ops);
}

}  // namespace kullback::math
