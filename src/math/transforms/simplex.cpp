// simplex[K]: the inverse of the isometric log-ratio transform (Egozcue et al. 2003), Stan's since 2.37. With
// V of helmert.hpp, z = V y, r = log sum_k exp(z_k):
//   x = softmax(z) = exp(z - r),   log|J| = sum_k log x_k + log(K) / 2 = -K r + log(K) / 2,
// J being that of the first K - 1 elements; sum z = 0. Adjoint: dz = x (a - a.x) - g K x for adjoints a of x
// and g of log|J|, then dy = V^T dz. Inverse: y = V^T log x. The maximum is taken out of the exponentials.
// column_stochastic_matrix[R, C]: each column a simplex, free (R - 1) x C. row_stochastic_matrix: each row,
// free R x (C - 1); both column-major.
#include <algorithm>
#include <cmath>

#include "base/helmert.hpp"
#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

// The simplexes of a value: how many, of what size, and where their numbers are.
struct Layout {
  std::size_t simplexes = 1;
  std::size_t size = 0;       // K
  std::size_t step = 1;       // between the elements of one, free or not
  std::size_t free_next = 0;  // from one to the next
  std::size_t next = 0;

  std::size_t free() const { return size == 0 ? 0 : size - 1; }
};

Layout one(Shape item) { return {1, item.rows, 1, 0, 0}; }
Layout columns(Shape item) {
  return {item.cols, item.rows, 1, item.rows == 0 ? 0 : item.rows - 1, item.rows};
}
Layout rows(Shape item) { return {item.rows, item.cols, item.rows, item.cols > 1 ? 1U : 0U, 1}; }

using LayoutOf = Layout (*)(Shape);

template <LayoutOf layout_of>
std::size_t free_size(Shape item) {
  const Layout layout = layout_of(item);
  return layout.simplexes * layout.free();
}

template <LayoutOf layout_of>
std::size_t scratch_size(Shape item) {
  return layout_of(item).size;
}

template <LayoutOf layout_of>
void forward(const TransformCall& call) {
  const Layout layout = layout_of(call.shape);
  if (layout.size == 0) return;
  const auto count = static_cast<double>(layout.size);
  double* z = call.scratch;
  for (std::size_t s = 0; s < layout.simplexes; ++s) {
    double* x = call.value + s * layout.next;
    helmert(layout.free(), call.free + s * layout.free_next, layout.step, z, 1);
    const double largest = *std::max_element(z, z + layout.size);
    double sum = 0;
    for (std::size_t k = 0; k < layout.size; ++k) {
      z[k] = std::exp(z[k] - largest);
      sum += z[k];
    }
    for (std::size_t k = 0; k < layout.size; ++k) x[k * layout.step] = z[k] / sum;
    *call.log_jacobian += 0.5 * std::log(count) - count * (largest + std::log(sum));
  }
}

template <LayoutOf layout_of>
void backward(const TransformCall& call) {
  const Layout layout = layout_of(call.shape);
  const double of_jacobian = call.log_jacobian_adjoint * static_cast<double>(layout.size);
  double* z_adjoint = call.scratch;
  for (std::size_t s = 0; s < layout.simplexes; ++s) {
    const double* x = call.value + s * layout.next;
    const double* adjoint = call.value_adjoint + s * layout.next;
    double mean = 0;
    for (std::size_t k = 0; k < layout.size; ++k) mean += adjoint[k * layout.step] * x[k * layout.step];
    for (std::size_t k = 0; k < layout.size; ++k) {
      z_adjoint[k] = x[k * layout.step] * (adjoint[k * layout.step] - mean - of_jacobian);
    }
    add_helmert_transpose(layout.free(), z_adjoint, 1, call.free_adjoint + s * layout.free_next, layout.step);
  }
}

// A violation in simplex s at element k, in rows and columns of the item.
template <LayoutOf layout_of>
Violation located(Violation violation, std::size_t s, Shape shape) {
  const Layout layout = layout_of(shape);
  const std::size_t offset = s * layout.next + violation.row * layout.step;
  if (!violation.whole) {
    violation.row = offset % shape.rows;
    violation.col = offset / shape.rows;
  } else if (layout.simplexes > 1 || shape.cols > 1) {
    const bool by_column = layout.step == 1 && layout.next == shape.rows;
    violation.what =
        (by_column ? "has column " : "has row ") + std::to_string(s + 1) + " that " + violation.what;
  }
  return violation;
}

template <LayoutOf layout_of>
std::optional<Violation> unconstrain(const ConstrainedValue& value, double* free) {
  const Layout layout = layout_of(value.shape);
  for (std::size_t s = 0; s < layout.simplexes; ++s) {
    const double* x = value.value + s * layout.next;
    double* y = free + s * layout.free_next;
    double sum = 0;
    for (std::size_t k = 0; k < layout.size; ++k) {
      const double element = x[k * layout.step];
      if (!(element > 0)) {
        return located<layout_of>(
            wrong_number(k, 0, element, "must be positive to have free numbers", -element), s, value.shape);
      }
      const double z = std::log(element);
      const auto i = static_cast<double>(k);
      if (k > 0) y[(k - 1) * layout.step] = (sum - i * z) / std::sqrt(i * (i + 1));
      sum += z;
    }
  }
  return {};
}

template <LayoutOf layout_of>
std::optional<Violation> check(const ConstrainedValue& value) {
  const Layout layout = layout_of(value.shape);
  for (std::size_t s = 0; s < layout.simplexes; ++s) {
    if (auto violation = check_simplex(value.value + s * layout.next, layout.size, layout.step)) {
      return located<layout_of>(*violation, s, value.shape);
    }
  }
  return {};
}

std::string simplex_size_problem(Shape item) { return item.rows > 0 ? "" : "must have at least one element"; }
std::string column_size_problem(Shape item) { return item.rows > 0 ? "" : "must have at least one row"; }
std::string row_size_problem(Shape item) { return item.cols > 0 ? "" : "must have at least one column"; }

}  // namespace

const TransformDef simplex_transform = {
    .name = "simplex",
    .doc = "vectors of non-negative elements that sum to 1",
    .free_size = free_size<one>,
    .scratch_size = scratch_size<one>,
    .size_problem = simplex_size_problem,
    .forward = forward<one>,
    .backward = backward<one>,
    .unconstrain = unconstrain<one>,
    .check = check<one>,
};

const TransformDef column_stochastic_matrix_transform = {
    .name = "column_stochastic_matrix",
    .doc = "matrices each of whose columns is a simplex",
    .free_size = free_size<columns>,
    .scratch_size = scratch_size<columns>,
    .size_problem = column_size_problem,
    .forward = forward<columns>,
    .backward = backward<columns>,
    .unconstrain = unconstrain<columns>,
    .check = check<columns>,
};

const TransformDef row_stochastic_matrix_transform = {
    .name = "row_stochastic_matrix",
    .doc = "matrices each of whose rows is a simplex",
    .free_size = free_size<rows>,
    .scratch_size = scratch_size<rows>,
    .size_problem = row_size_problem,
    .forward = forward<rows>,
    .backward = backward<rows>,
    .unconstrain = unconstrain<rows>,
    .check = check<rows>,
};

}  // namespace kullback::math::transforms
