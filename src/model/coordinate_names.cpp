#include "model/coordinate_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "lang/transform_of.hpp"
#include "model/columns.hpp"

namespace kullback::model {

using math::Kind;
using tape::Dims;
using tape::Value;

namespace {

using Names = std::vector<std::string>;

struct Style {
  std::string (*indexed)(const std::string& name, const Dims& index);
  const char* slot;        // between a tuple and the number of its slot
  const char* part_of[2];  // what follows the name of a complex number, for its real and imaginary part
};

std::string bracketed(const std::string& name, const Dims& index) {
  if (index.empty()) return name;
  std::string text;
  for (const std::size_t i : index) text += (text.empty() ? "[" : ", ") + std::to_string(i + 1);
  return name + text + "]";
}

std::string dotted(const std::string& name, const Dims& index) {
  std::string text = name;
  for (const std::size_t i : index) text += "." + std::to_string(i + 1);
  return text;
}

constexpr Style kForPeople = {bracketed, ".", {" (real)", " (imaginary)"}};
constexpr Style kColumns = {dotted, ":", {".real", ".imag"}};

Dims array_index(std::size_t item, std::span<const std::size_t> dims) {
  Dims index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = item % dims[d];
    item /= dims[d];
  }
  return index;
}

// The free numbers of some constraints of matrices are a matrix too, by columns: its rows; else 0.
std::size_t free_rows(const math::TransformDef& transform, std::size_t rows) {
  if (transform.elementwise || transform.name == "row_stochastic_matrix") return rows;
  if (transform.name == "column_stochastic_matrix" || transform.name == "sum_to_zero_matrix")
    return rows > 0 ? rows - 1 : 0;
  return 0;
}

class Namer final {
 public:
  explicit Namer(const Style& style) : style_(style) {}

  void add(const std::string& name, const lang::SizedType& type, const Value& value) {
    if (type.type->kind == Kind::tuple) {
      add_tuples(name, type, value);
    } else {
      add_items(name, type, value);
    }
  }

  Names take() && { return std::move(names_); }

 private:
  void add_tuples(const std::string& name, const lang::SizedType& type, const Value& value) {
    if (value.type.array_rank > 0) {
      for (std::size_t i = 0; i < value.parts->size(); ++i)
        add(style_.indexed(name, array_index(i, value.dims)), type, (*value.parts)[i]);
      return;
    }
    for (std::size_t s = 0; s < type.elements.size(); ++s)
      add(fmt::format("{}{}{}", name, style_.slot, s + 1), *type.elements[s], (*value.parts)[s]);
  }

  void add_items(const std::string& name, const lang::SizedType& type, const Value& value) {
    const std::size_t rank = value.array_rank();
    const std::span<const std::size_t> arrays = std::span(value.dims).first(rank);
    const std::span<const std::size_t> inner = std::span(value.dims).subspan(rank);
    math::Shape shape;
    if (!inner.empty()) shape.rows = inner.front();
    if (inner.size() == 2) shape.cols = inner.back();
    const math::TransformDef& transform = lang::transform_of(type);
    const std::size_t free = math::free_size(transform, shape);
    const std::size_t rows = inner.size() == 2 ? free_rows(transform, shape.rows) : 0;
    const std::size_t items = tape::product(Dims(arrays.begin(), arrays.end()));
    for (std::size_t item = 0; item < items; ++item) {
      for (std::size_t k = 0; k < free; ++k) {
        Dims index = array_index(item, arrays);
        if (rows > 0) {
          index.insert(index.end(), {k % rows, k / rows});
        } else if (!inner.empty()) {
          index.push_back(k);
        }
        add_number(style_.indexed(name, index), value.type.is_complex());
      }
    }
  }

  void add_number(const std::string& name, bool is_complex) {
    if (!is_complex) {
      names_.push_back(name);
      return;
    }
    for (const char* part : style_.part_of) names_.push_back(name + part);
  }

  const Style& style_;
  Names names_;
};

Names names_of(const Prepared& prepared, const Style& style) {
  tape::Builder builder = prepared.builder;
  tape::Tracer tracer(prepared.program, prepared.sources, builder);
  tracer.set_values(prepared.values);
  Namer namer(style);
  for (const lang::Variable* variable : declared_in(prepared.program, lang::BlockKind::parameters))
    namer.add(std::string(variable->name), *variable->declared, tracer.unset(*variable->declared));
  return std::move(namer).take();
}

}  // namespace

Names coordinate_names(const Prepared& prepared) { return names_of(prepared, kForPeople); }
Names coordinate_columns(const Prepared& prepared) { return names_of(prepared, kColumns); }

}  // namespace kullback::model
