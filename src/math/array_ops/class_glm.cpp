// Generalised linear models of categories, n rows x_i, outcome y_i in 1..K.
//   categorical_logit_glm(y | x, alpha, beta): row i of L = x beta + alpha' holds the log odds;
//     log p = sum_i L(i, y_i) - lse(L(i, .)),   D(i, k) = [y_i = k] - softmax(L(i, .))_k,
//     by alpha: column sums of D, by beta: x' D, by x: D beta'
//   ordered_logistic_glm(y | x, beta, c): ordered_logistic with location x beta; by beta: x' d, by x: d
//   beta'.
// A row vector x serves all outcomes.
#include <algorithm>

#include "math/array_ops/density_linear.hpp"
#include "math/array_ops/ordered_logistic_kernel.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr std::string_view kOutcome = "Vector of dependent variables";

std::size_t row_count(Arguments arguments) {
  const Shape& x = arguments[1].shape;
  return x.rows == 1 ? arguments[0].shape.size() : x.rows;
}

void check_rows(std::string_view function, Arguments arguments) {
  const std::size_t outcomes = arguments[0].shape.size();
  if (outcomes != 1) {
    check_size_match(function, "size of " + std::string(kOutcome), outcomes, "number of rows",
                     row_count(arguments));
  }
}

struct CategoricalLogitGlm {
  static constexpr std::string_view function = "categorical_logit_glm_lpmf";

  static void check_shapes(Arguments arguments) {
    check_rows(function, arguments);
    check_size_match(function, "size of Intercept vector", arguments[2].shape.size(),
                     "columns of Weight matrix", arguments[3].shape.cols);
    check_size_match(function, "x.cols()", arguments[1].shape.cols, "beta.rows()", arguments[3].shape.rows);
  }

  static std::size_t work_size(Arguments arguments) {
    return arguments[1].shape.rows * (2 * arguments[3].shape.cols + 1);
  }

  static double log_density(const Frame& frame) {
    const ConstView x = view(frame, 1);
    const ConstView beta = view(frame, 3);
    const double* alpha = frame.data(2);
    const std::size_t classes = beta.cols;
    const std::size_t rows = row_count(frame.arguments);
    if (rows == 0 || frame.size(0) == 0 || classes == 1) return 0;
    check_bounded(function, "categorical outcome out of support", values_of(frame, 0),
                  {1, static_cast<double>(classes)});
    if (!frame.terms.keep(14U)) return 0;
    Work work(frame.work);
    const View odds = work.matrix(x.rows, classes);
    const View slopes = work.matrix(x.rows, classes);
    double* lse = work.take(x.rows);
    dense::multiply(x, beta, odds);
    for (std::size_t i = 0; i < x.rows; ++i) {
      double largest = -kInfinity;
      for (std::size_t k = 0; k < classes; ++k) {
        odds.data[i + k * x.rows] += alpha[k];
        largest = std::max(largest, odds.data[i + k * x.rows]);
      }
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        slopes.data[i + k * x.rows] = std::exp(odds.data[i + k * x.rows] - largest);
        sum += slopes.data[i + k * x.rows];
      }
      lse[i] = largest + std::log(sum);
      const double share = (x.rows == 1 ? static_cast<double>(rows) : 1.0) / sum;
      for (std::size_t k = 0; k < classes; ++k) slopes.data[i + k * x.rows] *= -share;
    }
    double value = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t y = static_cast<std::size_t>(frame.data(0)[frame.size(0) == 1 ? 0 : i]) - 1;
      const std::size_t row = x.rows == 1 ? 0 : i;
      value += odds.data[row + y * x.rows] - lse[row];
      slopes.data[row + y * x.rows] += 1;
    }
    if (!std::isfinite(value)) {
      check_finite(function, "Weight vector", values_of(frame, 3));
      check_finite(function, "Intercept", values_of(frame, 2));
      check_finite(function, "Matrix of independent variables", values_of(frame, 1));
    }
    if (frame.wants(2)) {
      for (std::size_t k = 0; k < classes; ++k) {
        frame.partials[2][k] += dense::sum(slopes.data + k * x.rows, x.rows);
      }
    }
    if (frame.wants(3)) dense::add_product(dense::t(x), slopes, partial_view(frame, 3));
    if (frame.wants(1)) dense::add_product(slopes, dense::t(beta), partial_view(frame, 1));
    return value;
  }
};

struct OrderedLogisticGlm {
  static constexpr std::string_view function = "ordered_logistic_glm_lpmf";

  static void check_shapes(Arguments arguments) {
    check_rows(function, arguments);
    check_size_match(function, "size of Weight vector", arguments[2].shape.size(),
                     "columns of Matrix of independent variables", arguments[1].shape.cols);
  }

  static std::size_t work_size(Arguments arguments) { return 2 * arguments[1].shape.rows; }

  static double log_density(const Frame& frame) {
    const ConstView x = view(frame, 1);
    const double* beta = frame.data(2);
    const Values cuts = values_of(frame, 3);
    const std::size_t rows = row_count(frame.arguments);
    check_bounded(function, kOutcome, values_of(frame, 0), {1, static_cast<double>(cuts.size() + 1)});
    check_ordered(function, "Cut-points", cuts);
    if (cuts.size() > 1) check_finite(function, "Final cut-point", cuts.last(1));
    if (!cuts.empty()) check_finite(function, "First cut-point", cuts.first(1));
    if (rows == 0 || frame.size(0) == 0 || cuts.empty() || !frame.terms.keep(14U)) return 0;
    Work work(frame.work);
    double* location = work.take(x.rows);
    double* slope = work.take(x.rows);
    dense::multiply(x, beta, location);
    std::fill_n(slope, x.rows, 0.0);
    double value = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t y = static_cast<std::size_t>(frame.data(0)[frame.size(0) == 1 ? 0 : i]);
      const std::size_t row = x.rows == 1 ? 0 : i;
      const double low = y == 1 ? -kInfinity : cuts[y - 2];
      const double high = y == cuts.size() + 1 ? kInfinity : cuts[y - 1];
      const OrderedLogistic mass = ordered_logistic(location[row], low, high);
      value += mass.value;
      slope[row] += mass.by_location;
      if (frame.wants(3)) {
        if (y > 1) frame.partials[3][y - 2] += mass.by_low;
        if (y <= cuts.size()) frame.partials[3][y - 1] += mass.by_high;
      }
    }
    if (!std::isfinite(value)) {
      check_finite(function, "Weight vector", values_of(frame, 2));
      check_finite(function, "Matrix of independent variables", values_of(frame, 1));
    }
    if (frame.wants(2)) dense::add_transposed_product(x, slope, frame.partials[2]);
    if (frame.wants(1)) dense::add_outer(slope, beta, partial_view(frame, 1));
    return value;
  }
};

}  // namespace
}  // namespace density

void append_class_glm_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  const std::vector<Type> predictors = {kMatrix, kRowVector};
  for (std::vector<Type>& types : combinations({int_types(), predictors, {kVector}, {kMatrix}})) {
    ops.push_back(density_op<CategoricalLogitGlm>(CategoricalLogitGlm::function, std::move(types)));
  }
  for (std::vector<Type>& types : combinations({int_types(), predictors, {kVector}, {kVector}})) {
    ops.push_back(density_op<OrderedLogisticGlm>(OrderedLogisticGlm::function, std::move(types)));
  }
}

}  // namespace kullback::math
