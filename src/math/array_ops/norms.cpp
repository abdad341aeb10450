// Inner products, norms and distances.
//   dot_product = x'y; dot_self = x'x; columns_dot_product, rows_dot_product: the same for each column or row
//   norm1 = sum |x|, norm2 = sqrt(x'x), distance = norm2(x - y), squared_distance
// Where a norm has a corner (norm1 at x_i = 0, norm2 and distance at 0) the adjoint is the subgradient 0.
#include <cmath>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

void check_sizes(std::string_view function, std::string_view a, std::string_view b, Arguments arguments) {
  if (arguments[0].shape.size() != arguments[1].shape.size()) {
    check_size_match(function, "size of " + std::string(a), arguments[0].shape.size(),
                     "size of " + std::string(b), arguments[1].shape.size());
  }
}

Shape dot_product_shape(Arguments arguments) {
  check_sizes("dot_product", "v1", "v2", arguments);
  return {};
}

void dot_product_forward(const ArrayCall& call) {
  call.result[0] = dense::dot(data(call, 0), data(call, 1), size(call, 0));
}

void dot_product_backward(const ArrayCall& call) {
  for (const std::size_t j : {0U, 1U}) {
    if (varies(call, j)) {
      dense::add_scaled(call.result_adjoint[0], data(call, 1 - j), adjoint(call, j), size(call, j));
    }
  }
}

void dot_self_forward(const ArrayCall& call) {
  call.result[0] = dense::dot(data(call, 0), data(call, 0), size(call, 0));
}

void dot_self_backward(const ArrayCall& call) {
  dense::add_scaled(2 * call.result_adjoint[0], data(call, 0), adjoint(call, 0), size(call, 0));
}

// dot products along columns or rows. The self form has one argument, which stands for both.
enum class Along { columns, rows };

template <Along along>
Shape along_shape(const Shape& shape) {
  return along == Along::columns ? Shape{1, shape.cols, 1} : Shape{shape.rows, 1, 1};
}

template <Along along>
Shape dots_shape(Arguments arguments) {
  const std::string_view function = along == Along::columns ? "columns_dot_product" : "rows_dot_product";
  check_size_match(function, "rows of v1", arguments[0].shape.rows, "rows of v2", arguments[1].shape.rows);
  check_size_match(function, "columns of v1", arguments[0].shape.cols, "columns of v2",
                   arguments[1].shape.cols);
  return along_shape<along>(arguments[0].shape);
}

template <Along along>
Shape self_dots_shape(Arguments arguments) {
  return along_shape<along>(arguments[0].shape);
}

template <Along along>
void dots_forward(const ArrayCall& call) {
  const std::size_t n = rows(call, 0);
  const double* x = data(call, 0);
  const double* y = data(call, call.arguments.size() - 1);
  if constexpr (along == Along::rows) {
    std::fill_n(call.result, n, 0.0);
  }
  for (std::size_t j = 0; j < cols(call, 0); ++j) {
    if constexpr (along == Along::columns) {
      call.result[j] = dense::dot(x + j * n, y + j * n, n);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        call.result[i] += x[i + j * n] * y[i + j * n];
      }
    }
  }
}

// to += weight * adjoint of the result * other.
template <Along along>
void add_dots(const ArrayCall& call, double weight, const double* other, double* to) {
  const std::size_t n = rows(call, 0);
  for (std::size_t j = 0; j < cols(call, 0); ++j) {
    if constexpr (along == Along::columns) {
      dense::add_scaled(weight * call.result_adjoint[j], other + j * n, to + j * n, n);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        to[i + j * n] += weight * call.result_adjoint[i] * other[i + j * n];
      }
    }
  }
}

template <Along along>
void dots_backward(const ArrayCall& call) {
  for (const std::size_t j : {0U, 1U}) {
    if (varies(call, j)) {
      add_dots<along>(call, 1, data(call, 1 - j), adjoint(call, j));
    }
  }
}

template <Along along>
void self_dots_backward(const ArrayCall& call) {
  add_dots<along>(call, 2, data(call, 0), adjoint(call, 0));
}

void norm1_forward(const ArrayCall& call) {
  double total = 0;
  for (const double x : values(call, 0)) {
    total += std::fabs(x);
  }
  call.result[0] = total;
}

void norm1_backward(const ArrayCall& call) {
  for (std::size_t i = 0; i < size(call, 0); ++i) {
    const double x = data(call, 0)[i];
    adjoint(call, 0)[i] += call.result_adjoint[0] * static_cast<double>((x > 0) - (x < 0));
  }
}

void norm2_forward(const ArrayCall& call) {
  dot_self_forward(call);
  call.result[0] = std::sqrt(call.result[0]);
}

void norm2_backward(const ArrayCall& call) {
  if (call.result[0] != 0) {
    dense::add_scaled(call.result_adjoint[0] / call.result[0], data(call, 0), adjoint(call, 0),
                      size(call, 0));
  }
}

Shape squared_distance_shape(Arguments arguments) {
  check_sizes("squared_distance", "v1", "v2", arguments);
  return {};
}

Shape distance_shape(Arguments arguments) {
  check_sizes("distance", "x1", "x2", arguments);
  return {};
}

void squared_distance_forward(const ArrayCall& call) {
  double total = 0;
  for (std::size_t i = 0; i < size(call, 0); ++i) {
    const double difference = data(call, 0)[i] - data(call, 1)[i];
    total += difference * difference;
  }
  call.result[0] = total;
}

void add_differences(const ArrayCall& call, double weight) {
  for (std::size_t i = 0; i < size(call, 0); ++i) {
    const double change = weight * (data(call, 0)[i] - data(call, 1)[i]);
    if (varies(call, 0)) {
      adjoint(call, 0)[i] += change;
    }
    if (varies(call, 1)) {
      adjoint(call, 1)[i] -= change;
    }
  }
}

void squared_distance_backward(const ArrayCall& call) { add_differences(call, 2 * call.result_adjoint[0]); }

void distance_forward(const ArrayCall& call) {
  squared_distance_forward(call);
  call.result[0] = std::sqrt(call.result[0]);
}

void distance_backward(const ArrayCall& call) {
  if (call.result[0] != 0) {
    add_differences(call, call.result_adjoint[0] / call.result[0]);
  }
}

template <Along along>
void append_along(std::vector<ArrayOp>& ops) {
  const bool columns = along == Along::columns;
  append(ops, columns ? "columns_dot_product" : "rows_dot_product",
         {{kVector, kVector}, {kRowVector, kRowVector}, {kMatrix, kMatrix}},
         {dots_shape<along>, nullptr, dots_forward<along>, dots_backward<along>});
  append(ops, columns ? "columns_dot_self" : "rows_dot_self", {{kVector}, {kRowVector}, {kMatrix}},
         {self_dots_shape<along>, nullptr, dots_forward<along>, self_dots_backward<along>});
}

}  // namespace

void append_norms_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  const std::vector<std::vector<Type>> vector_pairs = {
      {kVector, kVector}, {kVector, kRowVector}, {kRowVector, kVector}, {kRowVector, kRowVector}};
  append(ops, "dot_product", vector_pairs,
         {dot_product_shape, nullptr, dot_product_forward, dot_product_backward});
  append(ops, "dot_product", {{reals, reals}},
         {dot_product_shape, nullptr, dot_product_forward, dot_product_backward});
  append(ops, "dot_self", {{kVector}, {kRowVector}},
         {scalar_shape, nullptr, dot_self_forward, dot_self_backward});
  append_along<Along::columns>(ops);
  append_along<Along::rows>(ops);
  append(ops, "norm1", {{kVector}, {kRowVector}, {reals}},
         {scalar_shape, nullptr, norm1_forward, norm1_backward});
  append(ops, "norm2", {{kVector}, {kRowVector}, {reals}},
         {scalar_shape, nullptr, norm2_forward, norm2_backward});
  append(ops, "distance", vector_pairs, {distance_shape, nullptr, distance_forward, distance_backward});
  const Kernels squared = {squared_distance_shape, nullptr, squared_distance_forward,
                           squared_distance_backward};
  append(ops, "squared_distance", vector_pairs, squared);
  append(ops, "squared_distance", {{kReal, kReal}}, squared);
}

}  // namespace kullback::math
