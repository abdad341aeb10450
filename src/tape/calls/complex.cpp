// Containers of complex numbers: element by element, or a real function of the real parts and one of the
// imaginary parts. With A = a + ib and B = c + id:
//   moving numbers and linear functions:  f(A) = f(a) + i f(b)
//   products:                             A B = (a c - b d) + i (a d + b c)
//   B / A (mdivide_right):                (x y) ( a b ; -b a ) = (c d), one real system of twice the size
// The right singular vectors follow from the left ones, so that a matrix without full rank has none here.
// dot_product conjugates its first argument and dot_self is a sum of |z|^2, as in Stan.
#include "tape/calls/complex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "tape/calls/complex_number.hpp"

namespace kullback::tape {

using lang::Op;
using math::Kind;
using math::Type;

namespace {

using Arguments = std::span<const Value>;

Type real_type(Type type) {
  switch (type.kind) {
    case Kind::complex: type.kind = Kind::real; break;
    case Kind::complex_vector: type.kind = Kind::vector; break;
    case Kind::complex_row_vector: type.kind = Kind::row_vector; break;
    case Kind::complex_matrix: type.kind = Kind::matrix; break;
    default: break;
  }
  return type;
}

Value part(const Value& value, std::size_t which) {
  Ids ids;
  for (std::size_t i = which; i < value.ids->size(); i += 2) ids.push_back((*value.ids)[i]);
  return real_container(real_type(value.type), value.dims, std::move(ids));
}

// Of a real value: itself, and zeros.
Value real_part(const Value& value) { return value.type.is_complex() ? part(value, 0) : value; }
Value imaginary_part(Tracer& t, const Value& value) {
  if (value.type.is_complex()) return part(value, 1);
  return real_container(value.type, value.dims, Ids(t.reals(value).size(), t.builder().constant(0)));
}

Value zip(const Value& re, const Value& im, const Type& type) {
  Ids ids;
  for (std::size_t i = 0; i < re.ids->size(); ++i) ids.insert(ids.end(), {(*re.ids)[i], (*im.ids)[i]});
  return real_container(type, re.dims, std::move(ids));
}

// ---- element by element ----

class Elements final {
 public:
  Elements(Tracer& t, const Value& value)
      : builder_(t.builder()), ids_(t.reals(value)), complex_(value.type.is_complex()) {}

  std::size_t size() const { return complex_ ? ids_.size() / 2 : ids_.size(); }
  Complex at(std::size_t i) const {
    i = size() == 1 ? 0 : i;
    if (!complex_) return {Number(builder_, ids_[i]), Number(builder_, 0.0)};
    return {Number(builder_, ids_[2 * i]), Number(builder_, ids_[2 * i + 1])};
  }

 private:
  Builder& builder_;
  Ids ids_;
  bool complex_;
};

Dims common_dims(Tracer& t, Arguments a, std::string_view name) {
  Dims dims;
  for (const Value& argument : a) {
    if (argument.dims.empty()) continue;
    if (!dims.empty() && dims != argument.dims)
      t.refuse(fmt::format("{}: the sizes of its arguments differ.", name));
    dims = argument.dims;
  }
  return dims;
}

template <class F>
Value map_elements(Tracer& t, std::string_view name, Arguments a, const Type& type, F f) {
  const Dims dims = common_dims(t, a, name);
  const std::size_t count = dims.empty() ? 1 : product(dims);
  std::vector<Elements> elements;
  for (const Value& argument : a) elements.emplace_back(t, argument);
  Ids ids;
  for (std::size_t i = 0; i < count; ++i) {
    const Complex z = f(elements.front().at(i), elements.back().at(i));
    ids.push_back(z.re.id());
    if (type.is_complex()) ids.push_back(z.im.id());
  }
  return real_container(type, dims, std::move(ids));
}

using OfTwo = Complex (*)(Builder& builder, const Complex& z, const Complex& w);

Complex real_of(Number x) { return {x, x.like(0)}; }

// proj(z) is z, except that all infinities are one.
Complex project(Builder& builder, const Complex& z) {
  if (!std::isinf(z.re.value()) && !std::isinf(z.im.value())) return z;
  return {Number(builder, std::numeric_limits<double>::infinity()),
          Number(builder, std::copysign(0.0, z.im.value()))};
}

const std::unordered_map<std::string_view, OfTwo>& element_functions() {
  using B = Builder;
  using C = Complex;
  static const std::unordered_map<std::string_view, OfTwo> kFunctions = {
      {"add", [](B&, const C& z, const C& w) { return z + w; }},
      {"subtract", [](B&, const C& z, const C& w) { return z - w; }},
      {"multiply", [](B&, const C& z, const C& w) { return z * w; }},
      {"elt_multiply", [](B&, const C& z, const C& w) { return z * w; }},
      {"divide", [](B&, const C& z, const C& w) { return z / w; }},
      {"elt_divide", [](B&, const C& z, const C& w) { return z / w; }},
      {"pow", [](B& b, const C& z, const C& w) { return pow(b, z, w); }},
      {"polar", [](B&, const C& r, const C& angle) { return polar(r.re, angle.re); }},
      {"plus", [](B&, const C& z, const C&) { return z; }},
      {"minus", [](B&, const C& z, const C&) { return -z; }},
      {"conj", [](B&, const C& z, const C&) { return conj(z); }},
      {"proj", [](B& b, const C& z, const C&) { return project(b, z); }},
      {"get_real", [](B&, const C& z, const C&) { return real_of(z.re); }},
      {"get_imag", [](B&, const C& z, const C&) { return real_of(z.im); }},
      {"abs", [](B&, const C& z, const C&) { return real_of(abs(z)); }},
      {"arg", [](B&, const C& z, const C&) { return real_of(arg(z)); }},
      {"norm", [](B&, const C& z, const C&) { return real_of(norm(z)); }},
      {"exp", [](B&, const C& z, const C&) { return exp(z); }},
      {"log", [](B&, const C& z, const C&) { return log(z); }},
      {"log10", [](B&, const C& z, const C&) { return log(z) * z.re.like(1 / std::numbers::ln10); }},
      {"sqrt", [](B& b, const C& z, const C&) { return sqrt(b, z); }},
      {"sin", [](B&, const C& z, const C&) { return sin(z); }},
      {"cos", [](B&, const C& z, const C&) { return cos(z); }},
      {"tan", [](B&, const C& z, const C&) { return tan(z); }},
      {"sinh", [](B&, const C& z, const C&) { return sinh(z); }},
      {"cosh", [](B&, const C& z, const C&) { return cosh(z); }},
      {"tanh", [](B&, const C& z, const C&) { return tanh(z); }},
      {"asin", [](B& b, const C& z, const C&) { return asin(b, z); }},
      {"acos", [](B& b, const C& z, const C&) { return acos(b, z); }},
      {"atan", [](B&, const C& z, const C&) { return atan(z); }},
      {"asinh", [](B& b, const C& z, const C&) { return asinh(b, z); }},
      {"acosh", [](B& b, const C& z, const C&) { return acosh(b, z); }},
      {"atanh", [](B&, const C& z, const C&) { return atanh(z); }},
  };
  return kFunctions;
}

Value to_complex(Tracer& t, Arguments a, const Type& type) {
  if (a.empty()) return real_container(type, {}, Ids(2, t.builder().constant(0)));
  const std::array<Value, 1> zero{real_value(t.builder().constant(0))};
  const std::array<Value, 2> parts{a[0], a.size() == 2 ? a[1] : zero[0]};
  return map_elements(t, "to_complex", parts, type, [](const Complex& re, const Complex& im) {
    return Complex{re.re, im.re};
  });
}

// ---- functions of the parts ----

// The real function of this name, or an empty value where there is none.
Value real_call(Tracer& t, std::string_view name, Arguments a, const Type& type) {
  if (const Structural f = find_structural(name)) return f(t, a, type);
  std::vector<Type> types;
  for (const Value& argument : a) types.push_back(argument.type);
  if (const math::ArrayOp* f = math::find_array_op(name, types)) return t.apply(*f, a, type);
  return {};
}

bool is_linear(std::string_view name) {
  constexpr std::array kLinear{"sum", "cumulative_sum", "trace", "add_diag", "symmetrize_from_lower_tri"};
  return find_structural(name) != nullptr || std::ranges::find(kLinear, name) != kLinear.end();
}

bool is_product(std::string_view name) {
  constexpr std::array kProducts{"dot_product", "columns_dot_product", "rows_dot_product",
                                 "diag_pre_multiply", "diag_post_multiply"};
  return std::ranges::find(kProducts, name) != kProducts.end();
}

bool is_self_product(std::string_view name) {
  return name == "dot_self" || name == "columns_dot_self" || name == "rows_dot_self";
}

Value linear(Tracer& t, std::string_view name, Arguments a, const Type& type) {
  std::vector<Value> re;
  std::vector<Value> im;
  for (const Value& argument : a) {
    re.push_back(real_part(argument));
    im.push_back(argument.type.is_complex() || argument.ints ? (argument.ints ? argument : part(argument, 1))
                                                             : imaginary_part(t, argument));
  }
  const Value first = real_call(t, name, re, real_type(type));
  if (!type.is_complex() || !first.is_set()) return first;  // sizes
  return zip(first, real_call(t, name, im, real_type(type)), type);
}

Value add_sub(Tracer& t, std::string_view name, const Value& left, const Value& right) {
  const std::array<Value, 2> both{left, right};
  return t.apply(*math::find_elementwise(name), both, left.type);
}

Value bilinear(Tracer& t, std::string_view name, Arguments a, const Type& type) {
  const bool conjugates = name == "dot_product";
  const Type real = real_type(type);
  const std::array<Value, 2> re{real_part(a[0]), real_part(a[1])};
  const std::array<Value, 2> im{imaginary_part(t, a[0]), imaginary_part(t, a[1])};
  const auto of = [&](const Value& x, const Value& y) {
    const std::array<Value, 2> both{x, y};
    return real_call(t, name, both, real);
  };
  const Value squares = of(re[0], re[1]);
  if (!squares.is_set()) return squares;
  return zip(add_sub(t, conjugates ? "add" : "subtract", squares, of(im[0], im[1])),
             add_sub(t, conjugates ? "subtract" : "add", of(re[0], im[1]), of(im[0], re[1])), type);
}

Value self_product(Tracer& t, std::string_view name, Arguments a, const Type& type) {
  const std::array<Value, 2> parts{real_part(a[0]), imaginary_part(t, a[0])};
  const Value squares = real_call(t, name, {parts.data(), 1}, real_type(type));
  if (!squares.is_set()) return squares;
  const Value sum = add_sub(t, "add", squares, real_call(t, name, {&parts[1], 1}, real_type(type)));
  return zip(sum, imaginary_part(t, sum), type);
}

// (left over right) and (left beside right), of matrices.
Value joined(Tracer& t, std::string_view how, const Value& left, const Value& right, const Type& type) {
  const std::array<Value, 2> both{left, right};
  return find_structural(how)(t, both, type);
}

Value divide_right(Tracer& t, Arguments a, const Type& type) {
  const Type real = real_type(type);
  const Type matrix{Kind::matrix};
  const Value re = real_part(a[1]);
  const Value im = imaginary_part(t, a[1]);
  const Value minus_im = t.apply(*math::find_elementwise("minus"), {&im, 1}, matrix);
  const Value system = joined(t, "append_row", joined(t, "append_col", re, im, matrix),
                              joined(t, "append_col", minus_im, re, matrix), matrix);
  const Value right = joined(t, "append_col", real_part(a[0]), imaginary_part(t, a[0]), real);
  const std::array<Value, 2> both{right, system};
  const std::array<Type, 2> types{right.type, matrix};
  const Value solved = t.apply(*math::find_array_op("mdivide_right", types), both, real);
  const auto half = static_cast<long>(solved.ids->size() / 2);
  const Ids first(solved.ids->begin(), solved.ids->begin() + half);
  const Ids second(solved.ids->begin() + half, solved.ids->end());
  return zip(real_container(real, a[0].dims, first), real_container(real, a[0].dims, second), type);
}

Value product_of_all(Tracer& t, const Value& value, const Type& type) {
  const Elements elements(t, value);
  Complex z = {Number(t.builder(), 1.0), Number(t.builder(), 0.0)};
  for (std::size_t i = 0; i < elements.size(); ++i) z = i == 0 ? elements.at(0) : z * elements.at(i);
  return real_container(type, {}, {z.re.id(), z.im.id()});
}

// Right singular vectors from the left ones: V = A^H U diag(1 / s).
Value right_singular_vectors(Tracer& t, const Value& a, const Type& type) {
  const auto of_a = [&](std::string_view name, const Type& result) {
    Value out;
    call_complex(t, name, {&a, 1}, result, out);
    return out;
  };
  const Value adjoint = complex_transposed(of_a("conj", type), type);
  const std::array<Value, 2> factors{adjoint, of_a("svd_U", type)};
  const Value singular = of_a("singular_values", Type{Kind::vector});
  const Value inverse = t.apply(*math::find_elementwise("inv"), {&singular, 1}, singular.type);
  const std::array<Value, 2> scaled{bilinear(t, "multiply", factors, type), inverse};
  return bilinear(t, "diag_post_multiply", scaled, type);
}

bool is_container(const Value& value) { return !value.dims.empty() && value.type.array_rank == 0; }

// ---- kernels on pairs: a complex matrix with r rows is given as a real one with 2 r rows ----

math::Shape pair_shape(const Value& value) {
  math::Shape shape;
  const std::size_t width = value.type.is_complex() ? 2 : 1;
  shape.rows = value.dims.empty() ? width : width * value.dims[0];
  if (value.dims.size() == 2) shape.cols = value.dims[1];
  return shape;
}

Value apply_to_pairs(Tracer& t, const math::ArrayOp& f, const Value& argument, const Type& type) {
  const std::array<Ids, 1> operands{t.reals(argument)};
  const std::array<math::Shape, 1> shapes{pair_shape(argument)};
  math::Shape shape;
  try {
    Ids ids = t.builder().array_op(f, {}, operands, shapes, &shape);
    Dims dims{type.is_complex() ? shape.rows / 2 : shape.rows};
    if (type.kind == Kind::complex_matrix || type.kind == Kind::matrix) dims.push_back(shape.cols);
    return real_container(type, std::move(dims), std::move(ids));
  } catch (const std::logic_error& e) {
    t.refuse(e.what());
  }
}

std::string_view name_of(Op op) {
  switch (op) {
    case Op::plus: return "add";
    case Op::minus: return "subtract";
    case Op::times: return "multiply";
    case Op::elt_times: return "elt_multiply";
    case Op::divide:
    case Op::elt_divide: return "divide";
    default: return "pow";
  }
}

}  // namespace

bool involves_complex(std::span<const Value> arguments, const Type& result) {
  return result.is_complex() ||
         std::any_of(arguments.begin(), arguments.end(), [](const Value& v) { return v.type.is_complex(); });
}

bool is_complex_function(std::string_view name) {
  return name == "to_complex" || element_functions().contains(name);
}

bool call_complex(Tracer& t, std::string_view name, Arguments a, const Type& type, Value& result) {
  std::vector<Type> types;
  for (const Value& argument : a) types.push_back(argument.type);
  if (a.size() == 1 && (type.is_complex() || a[0].type.is_complex())) {
    if (const math::ArrayOp* f = math::find_array_op(name, types)) {
      result = apply_to_pairs(t, *f, a[0], type);
      return true;
    }
  }
  if (name == "to_complex") {
    result = to_complex(t, a, type);
  } else if (name == "logical_eq" || name == "logical_neq") {
    result = int_value(complex_equal(t, a[0], a[1]) == (name == "logical_eq") ? 1 : 0);
  } else if (name == "multiply" && is_container(a[0]) && is_container(a[1])) {
    result = bilinear(t, name, a, type);
  } else if (const auto f = element_functions().find(name); f != element_functions().end()) {
    result = map_elements(t, name, a, type,
                          [&](const Complex& z, const Complex& w) { return f->second(t.builder(), z, w); });
  } else if (is_product(name)) {
    result = bilinear(t, name, a, type);
  } else if (is_self_product(name)) {
    result = self_product(t, name, a, type);
  } else if (name == "svd_V") {
    result = right_singular_vectors(t, a[0], type);
  } else if (name == "prod") {
    result = product_of_all(t, a[0], type);
  } else if (name == "mdivide_right") {
    result = divide_right(t, a, type);
  } else if (is_linear(name)) {
    result = linear(t, name, a, type);
  }
  return result.is_set();
}

Value imaginary(Tracer& t, double value) {
  return real_container(Type{Kind::complex}, {}, {t.builder().constant(0), t.builder().constant(value)});
}

Value complex_binary(Tracer& t, Op op, const Value& left, const Value& right, const Type& type) {
  const std::array<Value, 2> both{left, right};
  Value result;
  const bool solve = op == Op::divide && is_container(right) && !left.dims.empty();
  call_complex(t, solve ? "mdivide_right" : name_of(op), both, type, result);
  return result;
}

bool complex_equal(Tracer& t, const Value& left, const Value& right) {
  const Complex z = Elements(t, left).at(0);
  const Complex w = Elements(t, right).at(0);
  Builder& builder = t.builder();
  const bool re = builder.compare(Guard::Relation::equal, z.re.id(), w.re.id());
  return builder.compare(Guard::Relation::equal, z.im.id(), w.im.id()) && re;
}

Value complex_transposed(const Value& value, const Type& type) {
  if (value.type.kind != Kind::complex_matrix) return real_container(type, value.dims, *value.ids);
  const std::size_t rows = value.dims[0];
  const std::size_t cols = value.dims[1];
  Ids ids;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      const std::size_t at = 2 * (c * rows + r);
      ids.insert(ids.end(), {(*value.ids)[at], (*value.ids)[at + 1]});
    }
  }
  return real_container(type, {cols, rows}, std::move(ids));
}

}  // namespace kullback::tape
