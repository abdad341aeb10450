// Data as Stan's JSON.
#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"
#include "model/data.hpp"
#include "model/values.hpp"

namespace kullback::model {

namespace {

void append_number(double x, bool is_int, std::string& text) {
  if (std::isnan(x)) {
    text += "\"NaN\"";
  } else if (std::isinf(x)) {
    text += x > 0 ? "\"Inf\"" : "\"-Inf\"";
  } else if (is_int) {
    text += fmt::format("{:.0f}", x);
  } else {
    text += fmt::format("{}", x);
  }
}

// A value without dimensions: a number, or a tuple.
void append_one(const DataValue& value, std::size_t at, std::string& text) {
  if (value.kind != DataKind::tuple) {
    append_number(value.numbers[at], value.kind == DataKind::int_, text);
    return;
  }
  text += "{";
  const std::size_t count = element_count(value.dims);
  for (std::size_t s = 0; s < value.slots.size(); ++s) {
    text += fmt::format("{}\"{}\": ", s > 0 ? ", " : "", s + 1);
    append_json(item_of(value.slots[s], value.dims.size(), at, count), text);
  }
  text += "}";
}

void append_from(const DataValue& value, std::size_t dim, std::size_t first, std::string& text) {
  if (dim == value.dims.size()) {
    append_one(value, first, text);
    return;
  }
  std::size_t step = 1;
  for (std::size_t d = dim + 1; d < value.dims.size(); ++d) step *= value.dims[d];
  text += "[";
  for (std::size_t i = 0; i < value.dims[dim]; ++i) {
    if (i > 0) text += ", ";
    append_from(value, dim + 1, first + i * step, text);
  }
  text += "]";
}

}  // namespace

void append_json(const DataValue& value, std::string& text) { append_from(value, 0, 0, text); }

std::string to_json(const Data& data) {
  std::string text = "{";
  for (const Data::Item& item : data.items()) {
    text += (text.size() > 1 ? ",\n  " : "\n  ") + json_string(item.name) + ": ";
    append_json(item.value, text);
  }
  return text + "\n}\n";
}

}  // namespace kullback::model
