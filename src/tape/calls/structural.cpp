// Built-in functions that only move numbers: sizes, pieces, reshapes, repetitions, orders; and functions of
// ints. They put nothing on the tape.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <unordered_map>

#include "tape/record/container_size.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using math::Kind;
using math::Type;

namespace {

using Arguments = std::span<const Value>;

int as_int(const Value& value) { return (*value.ints)[0]; }

std::size_t as_size(Tracer& t, const Value& value) {
  if (as_int(value) < 0) t.refuse(fmt::format("a size is {}, but must not be negative.", as_int(value)));
  return static_cast<std::size_t>(as_int(value));
}

std::size_t rows_of(const Value& v) { return v.type.kind == Kind::row_vector ? 1 : v.dims[0]; }
std::size_t cols_of(const Value& v) {
  return v.type.kind == Kind::vector ? 1 : v.type.kind == Kind::row_vector ? v.dims[0] : v.dims[1];
}

Value like(const Type& type, Dims dims, Ids ids) {
  return real_container(type, std::move(dims), std::move(ids));
}

Value constant_container(Tracer& t, const Type& type, Dims dims, double number) {
  const std::size_t count = checked_count(dims);
  return like(type, std::move(dims), Ids(count, t.builder().constant(number)));
}

// ---- sizes ----
Value size(Tracer&, Arguments a, const Type&) {
  return int_value(static_cast<int>(a[0].array_rank() > 0 ? a[0].dims[0] : a[0].size()));
}
Value num_elements(Tracer&, Arguments a, const Type&) { return int_value(static_cast<int>(a[0].size())); }
Value rows(Tracer&, Arguments a, const Type&) { return int_value(static_cast<int>(rows_of(a[0]))); }
Value cols(Tracer&, Arguments a, const Type&) { return int_value(static_cast<int>(cols_of(a[0]))); }
Value dims(Tracer&, Arguments a, const Type&) {
  std::vector<int> sizes;
  for (const std::size_t d : a[0].dims) sizes.push_back(static_cast<int>(d));
  return int_array(std::move(sizes));
}

// ---- repetition ----
Value rep_vector(Tracer& t, Arguments a, const Type& type) {
  const std::size_t n = as_size(t, a[1]);
  return like(type, {n}, Ids(checked_count({n}), t.reals(a[0])[0]));
}
Value rep_matrix(Tracer& t, Arguments a, const Type& type) {
  const Ids x = t.reals(a[0]);
  if (a.size() == 3) {
    const std::size_t r = as_size(t, a[1]);
    const std::size_t c = as_size(t, a[2]);
    return like(type, {r, c}, Ids(checked_count({r, c}), x[0]));
  }
  const std::size_t n = as_size(t, a[1]);
  Ids ids;
  ids.reserve(checked_count({n, x.size()}));
  if (a[0].type.kind == Kind::vector) {
    for (std::size_t c = 0; c < n; ++c) ids.insert(ids.end(), x.begin(), x.end());
    return like(type, {x.size(), n}, std::move(ids));
  }
  for (const Id id : x) ids.insert(ids.end(), n, id);
  return like(type, {n, x.size()}, std::move(ids));
}
Value rep_array(Tracer& t, Arguments a, const Type& type) {
  Value out;
  out.type = type;
  for (std::size_t i = 1; i < a.size(); ++i) out.dims.push_back(as_size(t, a[i]));
  const std::size_t n = product(out.dims);
  out.dims.insert(out.dims.end(), a[0].dims.begin(), a[0].dims.end());
  checked_count(out.dims);
  for (std::size_t i = 0; i < n; ++i) {
    if (a[0].parts) {
      std::vector<Value>& parts = change_parts(out);
      if (a[0].type.array_rank == 0) {
        parts.push_back(a[0]);
      } else {
        parts.insert(parts.end(), a[0].parts->begin(), a[0].parts->end());
      }
    } else if (a[0].ints && type.is_int()) {
      change_ints(out).insert(change_ints(out).end(), a[0].ints->begin(), a[0].ints->end());
    } else {
      const Ids x = t.reals(a[0]);
      change_ids(out).insert(change_ids(out).end(), x.begin(), x.end());
    }
  }
  if (a[0].tags && type.is_int()) {
    std::vector<RowTag>& tags = change_tags(out);
    for (std::size_t i = 0; i < tags.size(); ++i) tags[i] = int_tag(a[0], i % a[0].ints->size());
  }
  if (n == 0) {
    if (type.is_int()) {
      change_ints(out);
    } else {
      change_ids(out);
    }
  }
  return out;
}

// ---- reshaping ----
// Arrays become vectors in their own order; matrices by columns.
Value to_vector(Tracer& t, Arguments a, const Type& type) {
  Ids ids = t.reals(a[0]);
  const std::size_t n = ids.size();
  return like(type, {n}, std::move(ids));
}
Value to_array_1d(Tracer& t, Arguments a, const Type& type) {
  if (type.is_int()) {
    Value out = int_container(type, {a[0].size()}, *a[0].ints);
    out.tags = a[0].tags;
    return out;
  }
  return to_vector(t, a, type);
}
Value to_array_2d(Tracer& t, Arguments a, const Type& type) {
  const Ids x = t.reals(a[0]);
  const std::size_t r = a[0].dims[0];
  const std::size_t c = a[0].dims[1];
  Ids ids;
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = 0; j < c; ++j) ids.push_back(x[j * r + i]);
  }
  return like(type, {r, c}, std::move(ids));
}
Value to_matrix(Tracer& t, Arguments a, const Type& type) {
  Ids x = t.reals(a[0]);
  const std::size_t n = x.size();
  if (a.size() == 1) {
    if (a[0].type.kind == Kind::matrix) return a[0];
    if (a[0].type.kind == Kind::vector) return like(type, {n, 1}, std::move(x));
    if (a[0].array_rank() == 0) return like(type, {1, n}, std::move(x));
    // array[r, c] of numbers, or array[r] of row vectors: given by rows
    const std::size_t r = a[0].dims[0];
    const std::size_t c = a[0].dims.size() > 1 ? a[0].dims[1] : 0;
    Ids ids(x.size());
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j < c; ++j) ids[j * r + i] = x[i * c + j];
    }
    return like(type, {r, c}, std::move(ids));
  }
  const std::size_t r = as_size(t, a[1]);
  const std::size_t c = as_size(t, a[2]);
  if (r * c != x.size())
    t.refuse(fmt::format("to_matrix: {} numbers do not fill {} rows and {} columns.", x.size(), r, c));
  if (a.size() == 4 && as_int(a[3]) == 0) {  // by rows
    Ids ids(x.size());
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j < c; ++j) ids[j * r + i] = x[i * c + j];
    }
    x = std::move(ids);
  }
  return like(type, {r, c}, std::move(x));
}

Value transpose(Tracer& t, Arguments a, const Type& type) { return t.transposed(a[0], type); }

// ---- pieces ----
Value piece(Tracer& t, const Value& v, std::size_t d, std::size_t first, std::size_t count) {
  if (first + count > v.dims[d]) t.refuse("a piece reaches outside its container.");
  std::vector<Selection> selections(d + 1);
  for (std::size_t i = 0; i <= d; ++i) {
    selections[i].at.resize(i == d ? count : v.dims[i]);
    std::iota(selections[i].at.begin(), selections[i].at.end(), i == d ? first : 0);
  }
  return take(v, select(v, selections));
}
std::size_t place_of(Tracer& t, const Value& index) {
  if (as_int(index) < 1) t.refuse(fmt::format("index {} is below 1.", as_int(index)));
  return static_cast<std::size_t>(as_int(index) - 1);
}
Value head(Tracer& t, Arguments a, const Type&) { return piece(t, a[0], 0, 0, as_size(t, a[1])); }
Value tail(Tracer& t, Arguments a, const Type&) {
  const std::size_t n = as_size(t, a[1]);
  if (n > a[0].dims[0]) t.refuse("tail: more elements are wanted than there are.");
  return piece(t, a[0], 0, a[0].dims[0] - n, n);
}
Value segment(Tracer& t, Arguments a, const Type&) {
  return piece(t, a[0], 0, place_of(t, a[1]), as_size(t, a[2]));
}
Value block(Tracer& t, Arguments a, const Type&) {
  return piece(t, piece(t, a[0], 0, place_of(t, a[1]), as_size(t, a[3])), 1, place_of(t, a[2]),
               as_size(t, a[4]));
}
Value one_of(Tracer& t, const Value& v, std::size_t d, std::size_t at) {
  if (at >= v.dims[d]) t.refuse("an index is outside its matrix.");
  std::vector<Selection> selections(2);
  selections[d] = {true, {at}};
  const std::size_t other = 1 - d;
  selections[other].at.resize(v.dims[other]);
  std::iota(selections[other].at.begin(), selections[other].at.end(), std::size_t{0});
  return take(v, select(v, selections));
}
Value row(Tracer& t, Arguments a, const Type&) { return one_of(t, a[0], 0, place_of(t, a[1])); }
Value col(Tracer& t, Arguments a, const Type&) { return one_of(t, a[0], 1, place_of(t, a[1])); }
Value sub_row(Tracer& t, Arguments a, const Type&) {
  return piece(t, one_of(t, a[0], 0, place_of(t, a[1])), 0, place_of(t, a[2]), as_size(t, a[3]));
}
Value sub_col(Tracer& t, Arguments a, const Type&) {
  return piece(t, one_of(t, a[0], 1, place_of(t, a[2])), 0, place_of(t, a[1]), as_size(t, a[3]));
}
Value reverse(Tracer&, Arguments a, const Type&) {
  Selection backwards;
  for (std::size_t i = a[0].dims[0]; i-- > 0;) backwards.at.push_back(i);
  return take(a[0], select(a[0], {&backwards, 1}));
}

// ---- joining ----
Value append_array(Tracer& t, Arguments a, const Type& type) {
  Value out = a[0];
  out.type = type;
  out.dims[0] += a[1].dims[0];
  if (a[0].dims[0] == 0) std::copy(a[1].dims.begin() + 1, a[1].dims.end(), out.dims.begin() + 1);
  if (out.ints) {
    change_ints(out).insert(change_ints(out).end(), a[1].ints->begin(), a[1].ints->end());
    if (a[0].tags || a[1].tags) {
      std::vector<RowTag>& tags = change_tags(out);
      const std::size_t first = a[0].ints->size();
      for (std::size_t i = first; i < tags.size(); ++i) tags[i] = int_tag(a[1], i - first);
    }
  } else if (out.parts) {
    change_parts(out).insert(change_parts(out).end(), a[1].parts->begin(), a[1].parts->end());
  } else {
    const Ids more = t.reals(a[1]);
    change_ids(out).insert(change_ids(out).end(), more.begin(), more.end());
  }
  return out;
}
Value append_col(Tracer& t, Arguments a, const Type& type) {
  Ids ids = t.reals(a[0]);
  const Ids more = t.reals(a[1]);
  ids.insert(ids.end(), more.begin(), more.end());
  const std::size_t n = ids.size();
  if (type.kind == Kind::row_vector) return like(type, {n}, std::move(ids));
  const std::size_t r = rows_of(a[0]);
  if (r != rows_of(a[1])) t.refuse("append_col: the numbers of rows differ.");
  return like(type, {r, cols_of(a[0]) + cols_of(a[1])}, std::move(ids));
}
Value append_row(Tracer& t, Arguments a, const Type& type) {
  const Ids x = t.reals(a[0]);
  const Ids y = t.reals(a[1]);
  Ids ids;
  if (type.kind == Kind::vector) {
    ids = x;
    ids.insert(ids.end(), y.begin(), y.end());
    const std::size_t n = ids.size();
    return like(type, {n}, std::move(ids));
  }
  const std::size_t c = cols_of(a[0]);
  if (c != cols_of(a[1])) t.refuse("append_row: the numbers of columns differ.");
  const std::size_t top = rows_of(a[0]);
  const std::size_t bottom = rows_of(a[1]);
  for (std::size_t j = 0; j < c; ++j) {
    for (std::size_t i = 0; i < top; ++i) ids.push_back(x[j * top + i]);
    for (std::size_t i = 0; i < bottom; ++i) ids.push_back(y[j * bottom + i]);
  }
  return like(type, {top + bottom, c}, std::move(ids));
}

// ---- diagonals ----
Value diagonal(Tracer&, Arguments a, const Type& type) {
  Ids ids;
  for (std::size_t i = 0; i < std::min(a[0].dims[0], a[0].dims[1]); ++i)
    ids.push_back((*a[0].ids)[i * a[0].dims[0] + i]);
  const std::size_t n = ids.size();
  return like(type, {n}, std::move(ids));
}
Value diag_matrix(Tracer& t, Arguments a, const Type& type) {
  const std::size_t n = a[0].size();
  Value out = constant_container(t, type, {n, n}, 0.0);
  for (std::size_t i = 0; i < n; ++i) change_ids(out)[i * n + i] = (*a[0].ids)[i];
  return out;
}
Value identity_matrix(Tracer& t, Arguments a, const Type& type) {
  const std::size_t n = as_size(t, a[0]);
  Value out = constant_container(t, type, {n, n}, 0.0);
  const Id one = t.builder().constant(1.0);
  for (std::size_t i = 0; i < n; ++i) change_ids(out)[i * n + i] = one;
  return out;
}

Value symmetrize_from_lower_tri(Tracer&, Arguments a, const Type&) {
  Value out = a[0];
  const std::size_t n = a[0].dims[0];
  Ids& ids = change_ids(out);
  for (std::size_t c = 1; c < n; ++c) {
    for (std::size_t r = 0; r < c; ++r) ids[c * n + r] = ids[r * n + c];
  }
  return out;
}

// ---- constants ----
Value one_hot(Tracer& t, Arguments a, const Type& type) {
  const std::size_t n = as_size(t, a[0]);
  if (as_int(a[1]) < 1 || as_int(a[1]) > as_int(a[0]))
    t.refuse(fmt::format("one_hot: index {} is outside 1 to {}.", as_int(a[1]), as_int(a[0])));
  Value out = constant_container(t, type, {n}, 0.0);
  change_ids(out)[static_cast<std::size_t>(as_int(a[1]) - 1)] = t.builder().constant(1.0);
  return out;
}
Value uniform_simplex(Tracer& t, Arguments a, const Type& type) {
  const std::size_t n = as_size(t, a[0]);
  if (n == 0) t.refuse("uniform_simplex: a simplex has at least 1 element.");
  return constant_container(t, type, {n}, 1.0 / static_cast<double>(n));
}
Value zeros(Tracer& t, Arguments a, const Type& type) {
  return type.is_int() ? int_array(std::vector<int>(as_size(t, a[0]), 0))
                       : constant_container(t, type, {as_size(t, a[0])}, 0.0);
}
Value ones(Tracer& t, Arguments a, const Type& type) {
  return type.is_int() ? int_array(std::vector<int>(as_size(t, a[0]), 1))
                       : constant_container(t, type, {as_size(t, a[0])}, 1.0);
}
Value linspaced(Tracer& t, Arguments a, const Type& type) {
  const std::size_t n = as_size(t, a[0]);
  if (type.is_int()) {
    std::vector<int> numbers;
    const int low = as_int(a[1]);
    const int high = as_int(a[2]);
    for (std::size_t i = 0; i < n; ++i) {
      const auto count = static_cast<std::int64_t>(n) - 1;
      const std::int64_t step = count == 0 ? 0 : (std::int64_t{high} - low) / count;
      numbers.push_back(n == 1 ? high : static_cast<int>(low + static_cast<std::int64_t>(i) * step));
    }
    return int_array(std::move(numbers));
  }
  const double low = t.builder().value(t.reals(a[1])[0]);
  const double high = t.builder().value(t.reals(a[2])[0]);
  const RowTag ends = join(t.tag_of(a[1]), t.tag_of(a[2]));
  Ids ids;
  for (std::size_t i = 0; i < n; ++i) {
    const double fraction = n == 1 ? 1.0 : static_cast<double>(i) / static_cast<double>(n - 1);
    ids.push_back(t.builder().constant(low + fraction * (high - low), ends));
  }
  return like(type, {n}, std::move(ids));
}
Value number(Tracer& t, double value) { return real_value(t.builder().constant(value)); }

// ---- order ----
// Numbers that depend on parameters are ordered by guards: what is compared next follows from what came out
// before.
template <bool kDescending>
std::vector<std::size_t> order_of(Tracer& t, const Value& v) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (v.ints) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return kDescending ? (*v.ints)[a] > (*v.ints)[b] : (*v.ints)[a] < (*v.ints)[b];
    });
    return order;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return t.builder().compare(Guard::Relation::less, (*v.ids)[kDescending ? b : a],
                               (*v.ids)[kDescending ? a : b]);
  });
  return order;
}
template <bool kDescending>
Value sort(Tracer& t, Arguments a, const Type&) {
  const Selection order{false, order_of<kDescending>(t, a[0])};
  return take(a[0], select(a[0], {&order, 1}));
}
template <bool kDescending>
Value sort_indices(Tracer& t, Arguments a, const Type&) {
  std::vector<int> indices;
  for (const std::size_t i : order_of<kDescending>(t, a[0])) indices.push_back(static_cast<int>(i + 1));
  return int_array(std::move(indices));
}

// ---- ints ----
Value to_int(Tracer& t, Arguments a, const Type& type) {
  if (a[0].ints) return a[0];
  std::vector<int> ints;
  for (const Id id : *a[0].ids) ints.push_back(t.checked_int("to_int", std::trunc(t.builder().value(id))));
  return t.tagged_like(*a[0].ids, int_container(type, a[0].dims, std::move(ints)));
}
Value is_nan(Tracer& t, Arguments a, const Type&) {
  if (a[0].ints) return int_value(0);
  const Id x = (*a[0].ids)[0];
  return int_value(t.builder().compare(Guard::Relation::equal, x, x) ? 0 : 1);
}
Value is_inf(Tracer& t, Arguments a, const Type&) {
  if (a[0].ints) return int_value(0);
  const auto equals = [&](double limit) {
    return t.builder().compare(Guard::Relation::equal, (*a[0].ids)[0], t.builder().constant(limit));
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return int_value(equals(kInfinity) || equals(-kInfinity) ? 1 : 0);
}

}  // namespace

namespace {

// Functions that exist for ints as well as for reals: those of ints are computed here.
Value over_ints(Tracer& t, std::string_view name, Arguments a) {
  const std::vector<int>& x = *a[0].ints;
  if (name == "sum") {
    const std::int64_t sum = std::accumulate(x.begin(), x.end(), std::int64_t{0});
    return int_value(t.checked_int(name, static_cast<double>(sum)));
  }
  if (name == "prod") {
    double product = std::find(x.begin(), x.end(), 0) == x.end() ? 1 : 0;
    for (const int i : x) product *= product == 0 ? 1 : i;  // exact as long as it is an int
    return int_value(t.checked_int(name, product));
  }
  const bool largest = name == "max";
  if (a.size() == 2) return int_value(largest ? std::max(x[0], as_int(a[1])) : std::min(x[0], as_int(a[1])));
  return int_value(largest ? *std::max_element(x.begin(), x.end()) : *std::min_element(x.begin(), x.end()));
}

const std::unordered_map<std::string_view, Structural>& structural_functions() {
  static const std::unordered_map<std::string_view, Structural> kFunctions = {
      {"size", size},
      {"num_elements", num_elements},
      {"rows", rows},
      {"cols", cols},
      {"dims", dims},
      {"rep_vector", rep_vector},
      {"rep_row_vector", rep_vector},
      {"rep_matrix", rep_matrix},
      {"rep_array", rep_array},
      {"to_vector", to_vector},
      {"to_row_vector", to_vector},
      {"to_array_1d", to_array_1d},
      {"to_array_2d", to_array_2d},
      {"to_matrix", to_matrix},
      {"transpose", transpose},
      {"head", head},
      {"tail", tail},
      {"segment", segment},
      {"block", block},
      {"row", row},
      {"col", col},
      {"sub_row", sub_row},
      {"sub_col", sub_col},
      {"reverse", reverse},
      {"append_array", append_array},
      {"append_col", append_col},
      {"append_row", append_row},
      {"diagonal", diagonal},
      {"diag_matrix", diag_matrix},
      {"identity_matrix", identity_matrix},
      {"symmetrize_from_lower_tri", symmetrize_from_lower_tri},
      {"one_hot_array", one_hot},
      {"one_hot_row_vector", one_hot},
      {"one_hot_vector", one_hot},
      {"uniform_simplex", uniform_simplex},
      {"zeros_vector", zeros},
      {"zeros_row_vector", zeros},
      {"zeros_array", zeros},
      {"zeros_int_array", zeros},
      {"ones_vector", ones},
      {"ones_row_vector", ones},
      {"ones_array", ones},
      {"ones_int_array", ones},
      {"linspaced_vector", linspaced},
      {"linspaced_row_vector", linspaced},
      {"linspaced_array", linspaced},
      {"linspaced_int_array", linspaced},
      {"pi", [](Tracer& t, Arguments, const Type&) { return number(t, std::numbers::pi); }},
      {"e", [](Tracer& t, Arguments, const Type&) { return number(t, std::numbers::e); }},
      {"sqrt2", [](Tracer& t, Arguments, const Type&) { return number(t, std::numbers::sqrt2); }},
      {"positive_infinity",
       [](Tracer& t, Arguments, const Type&) { return number(t, std::numeric_limits<double>::infinity()); }},
      {"negative_infinity",
       [](Tracer& t, Arguments, const Type&) { return number(t, -std::numeric_limits<double>::infinity()); }},
      {"not_a_number",
       [](Tracer& t, Arguments, const Type&) { return number(t, std::numeric_limits<double>::quiet_NaN()); }},
      {"machine_precision",
       [](Tracer& t, Arguments, const Type&) { return number(t, std::numeric_limits<double>::epsilon()); }},
      {"sort_asc", sort<false>},
      {"sort_desc", sort<true>},
      {"sort_indices_asc", sort_indices<false>},
      {"sort_indices_desc", sort_indices<true>},
      {"to_int", to_int},
      {"is_nan", is_nan},
      {"is_inf", is_inf},
  };
  return kFunctions;
}

}  // namespace

Structural find_structural(std::string_view name) {
  const auto found = structural_functions().find(name);
  return found == structural_functions().end() ? nullptr : found->second;
}

bool call_on_ints(Tracer& tracer, std::string_view name, std::span<const Value> arguments, Value& result) {
  if (arguments.empty() ||
      !std::all_of(arguments.begin(), arguments.end(), [](const Value& v) { return v.ints; })) {
    return false;
  }
  if (name == "abs") {
    result = arguments[0];
    for (int& i : change_ints(result)) i = i < 0 ? tracer.negated(i) : i;
    return true;
  }
  if (name == "int_step") {
    result = int_value(as_int(arguments[0]) > 0 ? 1 : 0);
    return true;
  }
  if (name != "sum" && name != "prod" && name != "max" && name != "min") return false;
  if (arguments.size() == 1 && arguments[0].ints->empty() && name != "sum" && name != "prod") return false;
  result = over_ints(tracer, name, arguments);
  return true;
}

}  // namespace kullback::tape
