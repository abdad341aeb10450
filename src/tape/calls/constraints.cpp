// The constraint transforms as functions of the language. x_constrain and x_jacobian are the recorded
// transforms of parameters; x_unconstrain is their inverse, written with numbers on the tape so that it has
// derivatives:
//   lower log(x - a), upper log(b - x), both logit((x - a) / (b - a)), offset_multiplier (x - mu) / sigma;
//   ordered x_1, log(x_k - x_{k-1}), positive_ordered log x_1, ...;
//   sum_to_zero V^T x, simplex V^T log x, with V the Helmert isometry of base/helmert.hpp;
//   cholesky_factor_corr row by row y_ij = atanh(l_ij / sqrt(1 - sum_{k<j} l_ik^2)), corr_matrix the same of
//   its Cholesky factor column by column; cholesky_factor_cov l_ij and log l_ii, cov_matrix the same of its
//   factor.
// A value that violates its constraint is refused, as it is for data.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "math/transform.hpp"
#include "tape/calls/number.hpp"
#include "tape/calls/special_calls.hpp"

namespace kullback::tape {

using math::Kind;
using math::Shape;
using math::Type;

namespace {

enum class Direction { constrain, jacobian, unconstrain };

struct Parsed {
  std::string_view family;
  Direction direction;
};

std::optional<Parsed> parse(std::string_view name) {
  using enum Direction;
  for (const auto& [suffix, direction] : {std::pair<std::string_view, Direction>{"_constrain", constrain},
                                          {"_jacobian", jacobian},
                                          {"_unconstrain", unconstrain}}) {
    if (name.ends_with(suffix)) return Parsed{name.substr(0, name.size() - suffix.size()), direction};
  }
  return std::nullopt;
}

// The record behind a family of functions; sum_to_zero has one for vectors and one for matrices.
const math::TransformDef* transform_for(std::string_view family, Kind kind) {
  if (family == "sum_to_zero")
    family = kind == Kind::matrix ? "sum_to_zero_matrix" : "sum_to_zero_vector";
  else if (family == "stochastic_column")
    family = "column_stochastic_matrix";
  else if (family == "stochastic_row")
    family = "row_stochastic_matrix";
  else if (family.ends_with("_bound"))
    family.remove_suffix(std::string_view("_bound").size());
  else if (family == "lower" || family == "upper" || family == "identity")
    return nullptr;
  return math::find_transform(family);
}

Shape item_shape(const Value& value) {
  Shape shape;
  const std::size_t arrays = value.array_rank();
  for (std::size_t d = 0; d < arrays; ++d) shape.count *= value.dims[d];
  const std::size_t inner = value.dims.size() - arrays;
  if (inner > 0) (value.type.kind == Kind::row_vector ? shape.cols : shape.rows) = value.dims[arrays];
  if (inner == 2) shape.cols = value.dims[arrays + 1];
  return shape;
}

// The shape of the constrained value that free numbers of this shape give.
Shape constrained_shape(const math::TransformDef& f, Shape free, std::span<const Value> sizes) {
  const std::string_view name = f.name;
  if (name == "simplex" || name == "sum_to_zero_vector" || name == "column_stochastic_matrix" ||
      name == "sum_to_zero_matrix") {
    ++free.rows;
  }
  if (name == "row_stochastic_matrix" || name == "sum_to_zero_matrix") ++free.cols;
  if (!sizes.empty() && (name.starts_with("c"))) {  // cholesky_factor_*, corr_matrix, cov_matrix
    free.rows = static_cast<std::size_t>((*sizes.front().ints)[0]);
    free.cols = static_cast<std::size_t>((*sizes.back().ints)[0]);
  }
  return free;
}

Dims dims_like(const Value& value, const Type& type, Shape shape) {
  Dims dims(value.dims.begin(), value.dims.begin() + static_cast<long>(value.array_rank()));
  if (type.kind == Kind::vector || type.kind == Kind::matrix) dims.push_back(shape.rows);
  if (type.kind == Kind::row_vector || type.kind == Kind::matrix) dims.push_back(shape.cols);
  return dims;
}

std::vector<Ids> bounds_of(Tracer& t, const math::TransformDef& f, std::span<const Value> rest) {
  std::vector<Ids> bounds;
  for (std::size_t b = 0; b < f.bound_names.size(); ++b) bounds.push_back(t.reals(rest[b]));
  return bounds;
}

// One number from its free number: x, and log|dx/dy|.
struct Constrained {
  Number value;
  Number log_jacobian;
};

Constrained constrain_number(std::string_view name, Number y, const std::vector<Number>& bounds) {
  const auto finite = [](Number bound) { return std::isfinite(bound.value()); };
  const Number a = bounds.front();
  const Number b = bounds.back();
  if (name == "offset_multiplier") return {a + b * y, log(b)};
  const bool lower = name != "upper" && finite(a);
  const bool upper = name != "lower" && finite(b);
  if (lower && upper) {
    const Number tails = y.apply("log_inv_logit") + y.apply("log1m_inv_logit");
    return {a + (b - a) * y.apply("inv_logit"), log(b - a) + tails};
  }
  if (!lower && !upper) return {y, y.like(0)};
  return {lower ? a + exp(y) : b - exp(y), y};
}

// Free numbers that are data between bounds that are not: the recorded transform is one of its free numbers
// only.
Value constrain_data(Tracer& t, const math::TransformDef& f, const Value& free,
                     const std::vector<Ids>& bounds, bool adds_jacobian) {
  Ids ids;
  const Ids y = t.reals(free);
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<Number> own;
    for (const Ids& bound : bounds) own.emplace_back(t.builder(), bound[bound.size() == 1 ? 0 : i]);
    const Constrained x = constrain_number(f.name, Number(t.builder(), y[i]), own);
    ids.push_back(x.value.id());
    if (adds_jacobian) t.add_jacobian(x.log_jacobian.id());
  }
  return real_container(free.type, free.dims, std::move(ids));
}

Value constrain(Tracer& t, const math::TransformDef& f, std::span<const Value> a, const Type& type,
                bool adds_jacobian) {
  const std::span<const Value> rest = a.subspan(1);
  const bool elementwise = !f.bound_names.empty();
  const Shape shape = elementwise ? item_shape(a[0]) : constrained_shape(f, item_shape(a[0]), rest);
  const std::vector<Ids> bounds = bounds_of(t, f, rest);
  const Ids free = t.reals(a[0]);
  if (const std::size_t needed = math::free_size(f, shape); needed != free.size()) {
    t.refuse(
        fmt::format("a {} of this size has {} free numbers, but {} are given.", f.name, needed, free.size()));
  }
  for (const Ids& bound : bounds) {
    if (bound.size() != 1 && bound.size() != free.size())
      t.refuse(fmt::format("{}: the sizes of its arguments differ.", f.name));
  }
  Id log_jacobian = 0;
  if (!bounds.empty() && std::all_of(free.begin(), free.end(), is_constant)) {
    Value result = constrain_data(t, f, a[0], bounds, adds_jacobian);
    result.type = type;
    return result;
  }
  try {
    Ids ids = t.builder().transform(f, free, bounds, shape, &log_jacobian);
    if (adds_jacobian) t.add_jacobian(log_jacobian);
    return real_container(type, dims_like(a[0], type, shape), std::move(ids));
  } catch (const std::logic_error& e) {
    t.refuse(e.what());
  }
}

// ---- inverses of one item ----

using Numbers = std::vector<Number>;

// V^T z.
Numbers helmert_transpose(const Numbers& z) {
  Numbers y;
  Number sum = z.front();
  for (std::size_t k = 1; k < z.size(); ++k) {
    const auto i = static_cast<double>(k);
    y.push_back((sum - z[k] * i) / std::sqrt(i * (i + 1)));
    sum = sum + z[k];
  }
  return y;
}

Numbers logs(const Numbers& x) {
  Numbers out;
  for (const Number n : x) out.push_back(log(n));
  return out;
}

// Applies `inverse` to each column of a matrix, or to each row.
template <class Inverse>
Numbers by_columns(const Numbers& x, Shape shape, Inverse inverse) {
  Numbers out;
  for (std::size_t c = 0; c < shape.cols; ++c) {
    const auto first = x.begin() + static_cast<long>(c * shape.rows);
    const Numbers y = inverse(Numbers(first, first + static_cast<long>(shape.rows)));
    out.insert(out.end(), y.begin(), y.end());
  }
  return out;
}

Numbers transposed(const Numbers& x, std::size_t rows, std::size_t cols) {
  Numbers out;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) out.push_back(x[c * rows + r]);
  return out;
}

template <class Inverse>
Numbers by_rows(const Numbers& x, Shape shape, Inverse inverse) {
  const Numbers y = by_columns(transposed(x, shape.rows, shape.cols), {shape.cols, shape.rows, 1}, inverse);
  return shape.rows == 0 ? y : transposed(y, y.size() / shape.rows, shape.rows);
}

Numbers free_of_ordered(const Numbers& x, bool positive) {
  Numbers y;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k > 0)
      y.push_back(log(x[k] - x[k - 1]));
    else
      y.push_back(positive ? log(x[0]) : x[0]);
  }
  return y;
}

Numbers free_of_factor(const Numbers& l, Shape shape) {
  Numbers y;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < std::min(i, shape.cols); ++j) y.push_back(l[j * shape.rows + i]);
    if (i < shape.cols) y.push_back(log(l[i * shape.rows + i]));
  }
  return y;
}

// Partial correlations of row i, from 1 to its end.
Numbers free_of_row(const Numbers& l, std::size_t size, std::size_t i) {
  Numbers y;
  Number left = l.front().like(1);
  for (std::size_t j = 0; j < i; ++j) {
    const Number x = l[j * size + i];
    y.push_back(atanh(j == 0 ? x : x / sqrt(left)));
    left = left - x * x;
  }
  return y;
}

Numbers free_of_correlations(const Numbers& l, std::size_t size, bool by_column) {
  std::vector<Numbers> rows;
  for (std::size_t i = 0; i < size; ++i) rows.push_back(free_of_row(l, size, i));
  Numbers y;
  if (!by_column) {
    for (const Numbers& row : rows) y.insert(y.end(), row.begin(), row.end());
    return y;
  }
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = j + 1; i < size; ++i) y.push_back(rows[i][j]);
  return y;
}

Numbers cholesky(Tracer& t, const Numbers& x, Shape shape) {
  Ids ids;
  for (const Number n : x) ids.push_back(n.id());
  const Type matrix{Kind::matrix};
  const Value value = real_container(matrix, {shape.rows, shape.cols}, std::move(ids));
  const Value factor = t.apply(*math::find_array_op("cholesky_decompose", {&matrix, 1}), {&value, 1}, matrix);
  Numbers out;
  for (const Id id : *factor.ids) out.emplace_back(t.builder(), id);
  return out;
}

// The transform writes V Y V^T with its first row and column moved to the end, as Stan does.
Numbers free_of_zero_sums(const Numbers& x, Shape shape) {
  Numbers unshifted;
  for (std::size_t c = 0; c < shape.cols; ++c)
    for (std::size_t r = 0; r < shape.rows; ++r)
      unshifted.push_back(
          x[(c + shape.cols - 1) % shape.cols * shape.rows + (r + shape.rows - 1) % shape.rows]);
  const Numbers y = by_columns(unshifted, shape, helmert_transpose);
  return by_rows(y, {shape.rows - 1, shape.cols, 1}, helmert_transpose);
}

Numbers free_of_item(Tracer& t, std::string_view name, const Numbers& x, Shape shape) {
  const auto simplex = [](const Numbers& column) { return helmert_transpose(logs(column)); };
  if (x.empty()) return {};
  if (name == "unit_vector") return x;
  if (name == "ordered") return free_of_ordered(x, false);
  if (name == "positive_ordered") return free_of_ordered(x, true);
  if (name == "simplex") return simplex(x);
  if (name == "column_stochastic_matrix") return by_columns(x, shape, simplex);
  if (name == "row_stochastic_matrix") return by_rows(x, shape, simplex);
  if (name == "sum_to_zero_vector") return helmert_transpose(x);
  if (name == "sum_to_zero_matrix") return free_of_zero_sums(x, shape);
  if (name == "cholesky_factor_cov") return free_of_factor(x, shape);
  if (name == "cov_matrix") return free_of_factor(cholesky(t, x, shape), shape);
  if (name == "cholesky_factor_corr") return free_of_correlations(x, shape.rows, false);
  return free_of_correlations(cholesky(t, x, shape), shape.rows, true);  // corr_matrix
}

Number free_of_bounded(std::string_view name, Number x, const Numbers& bounds) {
  const auto finite = [](Number bound) { return std::isfinite(bound.value()); };
  if (name == "offset_multiplier") return (x - bounds[0]) / bounds[1];
  const bool lower = name != "upper" && finite(bounds.front());
  const bool upper = name != "lower" && finite(bounds.back());
  if (lower && upper) return logit((x - bounds.front()) / (bounds.back() - bounds.front()));
  if (lower) return log(x - bounds.front());
  return upper ? log(bounds.back() - x) : x;
}

void require_constraint(Tracer& t, std::string_view name, const math::TransformDef& f, const Ids& ids,
                        const std::vector<Ids>& bounds, Shape shape) {
  const auto numbers = [&](const Ids& of) {
    std::vector<double> out;
    for (const Id id : of) out.push_back(t.builder().value(id));
    return out;
  };
  const std::vector<double> value = numbers(ids);
  std::vector<std::vector<double>> dense;
  std::vector<math::DenseArgument> arguments;
  dense.reserve(bounds.size());
  for (const Ids& bound : bounds) {
    dense.push_back(numbers(bound));
    arguments.push_back({dense.back().data(), {bound.size(), 1, 1}, false});
  }
  if (const auto violation = math::find_violation(f, {shape, arguments, value.data()}))
    t.refuse(fmt::format("{}: {}.", name, math::describe(*violation, shape)));
}

Value unconstrain(Tracer& t, std::string_view name, const math::TransformDef& f, std::span<const Value> a,
                  const Type& type) {
  const Ids ids = t.reals(a[0]);
  const std::vector<Ids> bounds = bounds_of(t, f, a.subspan(1));
  const Shape shape = item_shape(a[0]);
  for (const Ids& bound : bounds) {
    if (bound.size() != 1 && bound.size() != ids.size())
      t.refuse(fmt::format("{}: the sizes of its arguments differ.", name));
  }
  require_constraint(t, name, f, ids, bounds, shape);
  Numbers x;
  for (const Id id : ids) x.emplace_back(t.builder(), id);
  Numbers free;
  if (!bounds.empty()) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      Numbers own;
      for (const Ids& bound : bounds) own.emplace_back(t.builder(), bound[bound.size() == 1 ? 0 : i]);
      free.push_back(free_of_bounded(f.name, x[i], own));
    }
  } else {
    const Shape item{shape.rows, shape.cols, 1};
    for (std::size_t n = 0; n < shape.count; ++n) {
      const auto first = x.begin() + static_cast<long>(n * item.size());
      const Numbers y = free_of_item(t, f.name, Numbers(first, first + static_cast<long>(item.size())), item);
      free.insert(free.end(), y.begin(), y.end());
    }
  }
  Ids out;
  for (const Number n : free) out.push_back(n.id());
  Shape free_shape = shape;
  if (type.kind == Kind::matrix) {
    if (f.name != "row_stochastic_matrix") --free_shape.rows;
    if (f.name != "column_stochastic_matrix") --free_shape.cols;
  } else if (bounds.empty()) {
    free_shape.rows = math::free_size(f, {shape.rows, shape.cols, 1});
  }
  if (!bounds.empty()) return real_container(type, a[0].dims, std::move(out));
  return real_container(type, dims_like(a[0], type, free_shape), std::move(out));
}

}  // namespace

bool is_constraint_function(std::string_view name) {
  const std::optional<Parsed> parsed = parse(name);
  return parsed && transform_for(parsed->family, Kind::vector) != nullptr;
}

bool call_constraint(Tracer& t, std::string_view name, std::span<const Value> arguments, const Type& type,
                     Value& result) {
  const std::optional<Parsed> parsed = parse(name);
  if (!parsed || arguments.empty()) return false;
  const math::TransformDef* f = transform_for(parsed->family, arguments[0].type.kind);
  if (f == nullptr) return false;
  result = parsed->direction == Direction::unconstrain
               ? unconstrain(t, name, *f, arguments, type)
               : constrain(t, *f, arguments, type, parsed->direction == Direction::jacobian);
  return true;
}

}  // namespace kullback::tape
