// The data block in order: sizes are evaluated with the variables checked so far, then each value must be
// there, have the type and shape declared, and satisfy its constraint. A variable that fails makes those
// whose sizes or bounds need it unknown: they are not reported again. An empty container may be left out or
// be written [].
//
// Initial values of parameters go the same way; each becomes the free numbers behind it, which must be
// finite.
#include "model/check_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "lang/check/suggest.hpp"
#include "lang/print_program/expr_text.hpp"
#include "lang/transform_of.hpp"
#include "lang/visit.hpp"
#include "math/transform.hpp"
#include "math/violation_text.hpp"

namespace kullback::model {

namespace {

using Dims = std::vector<std::size_t>;
using math::Kind;

std::string dims_text(const Dims& dims) {
  std::string text;
  for (const std::size_t dim : dims) text += (text.empty() ? "" : ", ") + std::to_string(dim);
  return "[" + text + "]";
}

bool is_complex(Kind kind) {
  return kind == Kind::complex || kind == Kind::complex_vector || kind == Kind::complex_row_vector ||
         kind == Kind::complex_matrix;
}

Kind real_kind(Kind kind) {
  switch (kind) {
    case Kind::complex_vector: return Kind::vector;
    case Kind::complex_row_vector: return Kind::row_vector;
    case Kind::complex_matrix: return Kind::matrix;
    default: return kind;
  }
}

// Rows and columns of an item, from the dims after those of arrays.
math::Shape shape_of(Kind kind, const Dims& dims, std::size_t array_rank) {
  math::Shape shape;
  for (std::size_t d = 0; d < array_rank; ++d) shape.count *= dims[d];
  if (kind == Kind::vector || kind == Kind::complex_vector) shape.rows = dims.back();
  if (kind == Kind::row_vector || kind == Kind::complex_row_vector) shape.cols = dims.back();
  if (kind == Kind::matrix || kind == Kind::complex_matrix) {
    shape.rows = dims[dims.size() - 2];
    shape.cols = dims.back();
  }
  return shape;
}

// Row-major matrices become column-major; `unit` numbers make an element.
void put_columns_together(std::vector<double>& numbers, math::Shape shape, std::size_t unit) {
  if (shape.rows < 2 || shape.cols < 2) return;
  constexpr std::size_t kBlock = 64;  // rows that stay in the cache while their columns are written
  std::vector<double> result(numbers.size());
  const std::size_t per_item = shape.rows * shape.cols;
  for (std::size_t item = 0; item < shape.count; ++item) {
    const double* from = numbers.data() + item * per_item * unit;
    double* to = result.data() + item * per_item * unit;
    for (std::size_t first = 0; first < shape.rows; first += kBlock) {
      const std::size_t last = std::min(first + kBlock, shape.rows);
      for (std::size_t col = 0; col < shape.cols; ++col) {
        for (std::size_t row = first; row < last; ++row) {
          for (std::size_t u = 0; u < unit; ++u)
            to[(col * shape.rows + row) * unit + u] = from[(row * shape.cols + col) * unit + u];
        }
      }
    }
  }
  numbers = std::move(result);
}

class Checker final {
 public:
  // Of data, or of initial values where they are to be accepted.
  Checker(Data data, const SourceMap& sources, const Evaluate& evaluate, const AcceptInit* accept = nullptr)
      : data_(std::move(data)),
        sources_(sources),
        evaluate_(evaluate),
        accept_(accept),
        block_(accept == nullptr ? lang::BlockKind::data : lang::BlockKind::parameters) {}

  CheckedData check(const lang::Program& program) && {
    for (const lang::Stmt* statement : program.block(block_)) {
      if (const auto* declare = statement->as<lang::Declare>()) declared_.push_back(declare->variable->name);
    }
    for (const lang::Stmt* statement : program.block(block_)) {
      if (const auto* declare = statement->as<lang::Declare>())
        check_variable(*declare->variable, statement->span);
    }
    warn_of_extra();
    return std::move(result_);
  }

 private:
  // ---- reports ----
  // The message so far, then the declaration: "; model.stan:4:3 declares vector[N] with N = 100."
  void report(const std::string& code, const std::string& found, const std::string& hint = {}) {
    report_plain(code,
                 found + "; " + declaration_place() + " declares " + lang::stan_text(*variable_->declared) +
                     sizes_text() + ".",
                 hint);
  }

  void report_plain(const std::string& code, const std::string& message, const std::string& hint = {}) {
    result_.diagnostics.push_back({Severity::error, code, span_, prefix() + message, hint, {}});
    failed_ = true;
  }

  std::string prefix() const {
    if (!data_.source().empty()) return data_.source() + ": ";
    return accept_ == nullptr ? "data: " : "inits: ";
  }

  std::string declaration_place() const {
    const Position position = sources_.position(span_.file, span_.begin);
    return std::string(sources_.name(span_.file)) + ":" + std::to_string(position.line) + ":" +
           std::to_string(position.column);
  }

  std::string sizes_text() const {
    std::string text;
    for (const auto& [size, value] : sizes_) {
      text += (text.empty() ? " with " : ", ") + size + " = " + std::to_string(value);
    }
    return text;
  }

  // ---- one variable ----
  void check_variable(const lang::Variable& variable, Span span) {
    variable_ = &variable;
    span_ = span;
    sizes_.clear();
    failed_ = false;
    DataValue* value = data_.find(variable.name);
    if (value != nullptr && !value->problem.empty()) {
      report("data-value", "'" + std::string(variable.name) + "' " + value->problem);
      return;
    }
    const lang::SizedType& type = *variable.declared;
    if (accept_ != nullptr && value == nullptr) {
      if (can_evaluate(type)) accept_init(variable, nullptr);
      return;
    }
    if (!can_evaluate(type)) {
      if (value == nullptr) report_missing();
      return;
    }
    DataValue absent;
    absent.dims = {0};
    if (value == nullptr) {
      if (!is_empty(type) && !failed_) report_missing();
      value = &absent;
    }
    if (!failed_) bind(std::string(variable.name), *value, type, {});
    if (failed_) return;
    if (accept_ != nullptr) {
      accept_init(variable, value);
    } else {
      result_.values.set(variable, std::move(*value));
    }
  }

  void accept_init(const lang::Variable& variable, const DataValue* free) {
    (*accept_)(variable, free);
    result_.values.set(variable, {});  // known from now on
  }

  std::string no_data_hint() const {
    if (!data_.items().empty() || accept_ != nullptr) return "";
    return data_.source().empty()
               ? "No data were given: name a data file after the program."
               : "The file holds no values; data are JSON such as {\"N\": 2, \"y\": [1.5, 2.5]}.";
  }

  void report_missing() {
    const std::unordered_set<std::string_view> declared(declared_.begin(), declared_.end());
    std::vector<std::string_view> others;
    for (const Data::Item& item : data_.items()) {
      if (!declared.contains(item.name)) others.push_back(item.name);
    }
    const std::string_view near = lang::nearest_name(variable_->name, others);
    report("data-missing", "'" + std::string(variable_->name) + "' is missing",
           near.empty() ? no_data_hint() : "The data have '" + std::string(near) + "'.");
  }

  // ---- expressions ----
  bool is_known(const lang::Expr& expression) const {
    bool known = true;
    lang::for_each_expr(expression, [&](const lang::Expr& part) {
      const auto* reference = part.as<lang::VariableRef>();
      if (reference == nullptr || reference->variable->block != block_) return;
      if (result_.values.find(*reference->variable) == nullptr) known = false;
    });
    return known;
  }

  bool can_evaluate(const lang::SizedType& type) const {
    bool known = true;
    lang::for_each_child(type, [&](const lang::Expr& expression) { known = known && is_known(expression); });
    return known;
  }

  std::optional<DataValue> evaluate(const lang::Expr& expression) {
    try {
      return evaluate_(expression, result_.values);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      report_plain("data-size", "'" + std::string(variable_->name) + "' cannot be checked: at " +
                                    declaration_place() + ", " + lang::stan_text(expression) + ": " +
                                    error.message());
      return {};
    }
  }

  // Sizes of the declaration; a nonsensical one is reported and taken as 0.
  std::size_t evaluate_size(const lang::Expr& expression) {
    const std::optional<DataValue> value = evaluate(expression);
    if (!value) return 0;
    const double size = value->numbers.at(0);
    if (!lang::unpromoted(expression).as<lang::IntConstant>()) note_size(lang::stan_text(expression), size);
    if (size >= 0) return static_cast<std::size_t>(size);
    report("data-size", "'" + std::string(variable_->name) + "' cannot have the size " +
                            lang::stan_text(expression) + " = " +
                            std::to_string(static_cast<long long>(size)) + ", a size is at least 0");
    return 0;
  }

  void note_size(std::string text, double size) {
    std::pair<std::string, long long> entry(std::move(text), static_cast<long long>(size));
    if (std::find(sizes_.begin(), sizes_.end(), entry) == sizes_.end()) sizes_.push_back(std::move(entry));
  }

  Dims declared_dims(const lang::SizedType& type) {
    Dims dims;
    for (const lang::Expr* size : type.array_sizes) dims.push_back(evaluate_size(*size));
    for (const lang::Expr* size : type.sizes) dims.push_back(evaluate_size(*size));
    return dims;
  }

  bool is_empty(const lang::SizedType& type) {
    if (element_count(declared_dims(type)) == 0) return true;
    return !type.elements.empty() &&
           std::all_of(type.elements.begin(), type.elements.end(),
                       [&](const lang::SizedType* slot) { return is_empty(*slot); });
  }

  // ---- type, shape, layout, constraint; `outer` are the dims of the tuples around ----
  void bind(const std::string& name, DataValue& value, const lang::SizedType& type, const Dims& outer) {
    Dims dims = outer;
    const std::size_t reported = result_.diagnostics.size();
    const Dims inner = declared_dims(type);
    dims.insert(dims.end(), inner.begin(), inner.end());
    if (result_.diagnostics.size() > reported) return;
    if (type.type->kind == Kind::tuple) {
      bind_tuple(name, value, type, dims);
      return;
    }
    if (value.kind == DataKind::tuple) {
      report("data-type", "'" + name + "' is a tuple");
      return;
    }
    const bool complex = is_complex(type.type->kind);
    if (!has_shape(name, value, dims, complex)) return;
    const std::size_t array_rank = outer.size() + type.array_sizes.size();
    const math::Shape shape = shape_of(type.type->kind, dims, array_rank);
    if (type.type->kind == Kind::int_ && !has_ints(name, value, dims)) return;
    if (value.kind == DataKind::real) value.first_real = 0;
    value.kind = complex                         ? DataKind::complex
                 : type.type->kind == Kind::int_ ? DataKind::int_
                                                 : DataKind::real;
    put_columns_together(value.numbers, shape, complex ? 2 : 1);
    value.dims = std::move(dims);
    if (accept_ != nullptr) {
      make_free(name, value, type, shape);
    } else if (!complex) {
      check_constraint(name, value, type, shape);
    }
  }

  void bind_tuple(const std::string& name, DataValue& value, const lang::SizedType& type, const Dims& dims) {
    const bool absent = value.kind != DataKind::tuple && value.numbers.empty();
    if (element_count(dims) == 0 || (absent && is_empty(type))) {
      DataValue nothing;
      nothing.dims = {0};
      value.slots.assign(type.elements.size(), nothing);
    } else if (value.kind != DataKind::tuple) {
      report("data-type", "'" + name + "' is not a tuple", "A tuple is written {\"1\": ..., \"2\": ...}.");
      return;
    } else if (value.dims != dims) {
      report_shape(name, value.dims, dims);
      return;
    } else if (value.slots.size() != type.elements.size()) {
      report("data-type", "'" + name + "' has " + std::to_string(value.slots.size()) + " slots");
      return;
    }
    value.kind = DataKind::tuple;
    value.dims = dims;
    for (std::size_t i = 0; i < type.elements.size(); ++i) {
      bind(name + "." + std::to_string(i + 1), value.slots[i], *type.elements[i], dims);
    }
  }

  bool has_shape(const std::string& name, DataValue& value, const Dims& dims, bool complex) {
    Dims expected = dims;
    if (complex) expected.push_back(2);
    if (value.dims == expected) return true;
    if (element_count(expected) == 0 && value.numbers.empty()) return true;
    report_shape(name, value.dims, expected,
                 complex ? "A complex number is written [real part, imaginary part]." : "");
    return false;
  }

  void report_shape(const std::string& name, const Dims& found, const Dims& expected, std::string hint = {}) {
    std::string what;
    if (found.size() == 1 && expected.size() == 1) {
      what = "has " + std::to_string(found[0]) + (found[0] == 1 ? " element" : " elements");
    } else if (found.empty()) {
      what = "is a single value, not one of dimensions " + dims_text(expected);
      if (hint.empty() && element_count(expected) == 1) hint = "An array of one number is written [x].";
    } else {
      what =
          "has dimensions " + dims_text(found) + ", not " + (expected.empty() ? "none" : dims_text(expected));
    }
    report("data-shape", "'" + name + "' " + what, hint);
  }

  bool has_ints(const std::string& name, const DataValue& value, const Dims& dims) {
    if (value.kind == DataKind::real) {
      report("data-type",
             "'" + name + index_text(value.first_real, dims) + "' is " + value.first_real_text +
                 ", not an integer",
             "Integers are written without a decimal point or exponent.");
      return false;
    }
    constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < value.numbers.size(); ++i) {
      if (value.numbers[i] >= kLeast && value.numbers[i] <= kMost) continue;
      report("data-type", "'" + name + index_text(i, dims) + "' is " + lang::number_text(value.numbers[i]) +
                              ", beyond the integers of Stan, -2147483648 to 2147483647");
      return false;
    }
    return true;
  }

  // Values of the bounds, an absent offset 0 and an absent multiplier 1; none where one cannot be had.
  std::optional<std::vector<DataValue>> evaluate_bounds(const std::string& name, const lang::SizedType& type,
                                                        math::Shape shape) {
    std::vector<DataValue> bounds;
    for (const lang::Expr* expression : lang::transform_bounds(type)) {
      if (expression == nullptr) {
        bounds.emplace_back().numbers = {type.offset == nullptr ? 0.0 : 1.0};
        continue;
      }
      std::optional<DataValue> bound = evaluate(*expression);
      if (!bound) return {};
      const std::size_t size = bound->numbers.size();
      if (size != 1 && size != shape.rows * shape.cols && size != shape.size()) {
        report("data-size", "'" + name + "' cannot be checked: its bound " + lang::stan_text(*expression) +
                                " has " + std::to_string(size) + " elements");
        return {};
      }
      bounds.push_back(std::move(*bound));
    }
    return bounds;
  }

  static std::vector<math::DenseArgument> as_arguments(const std::vector<DataValue>& bounds) {
    std::vector<math::DenseArgument> arguments;
    for (const DataValue& bound : bounds)
      arguments.push_back({bound.numbers.data(), {bound.numbers.size(), 1, 1}, false});
    return arguments;
  }

  void report_violation(const std::string& name, const DataValue& value, const lang::SizedType& type,
                        const math::Violation& violation) {
    const std::size_t array_rank = value.dims.size() - type.sizes.size();
    const std::string index =
        math::violation_index(violation, std::span(value.dims).first(array_rank), real_kind(type.type->kind));
    std::string what = "'" + name + index + "' " + violation.what;
    if (violation.count > 1) what += " (the first of " + std::to_string(violation.count) + ")";
    report("data-constraint", what);
  }

  void check_constraint(const std::string& name, const DataValue& value, const lang::SizedType& type,
                        math::Shape shape) {
    const math::TransformDef& transform = lang::transform_of(type);
    if (type.constraint == lang::Constraint::none || type.constraint == lang::Constraint::offset_multiplier)
      return;
    const auto bounds = evaluate_bounds(name, type, shape);
    if (!bounds || shape.count == 0 || (transform.elementwise && shape.size() == 0)) return;
    const auto violation =
        math::find_violation(transform, {shape, as_arguments(*bounds), value.numbers.data()});
    if (violation) report_violation(name, value, type, *violation);
  }

  // ---- initial values ----
  void make_free(const std::string& name, DataValue& value, const lang::SizedType& type, math::Shape shape) {
    const math::TransformDef& transform = lang::transform_of(type);
    if (is_complex(type.type->kind)) {  // never constrained: its two numbers are free
      report_not_finite(name, value, type, shape, value.numbers);
      return;
    }
    const auto bounds = evaluate_bounds(name, type, shape);
    if (!bounds) return;
    std::vector<double> free(math::free_size(transform, shape));
    if (shape.size() > 0) {
      const auto violation =
          math::unconstrain(transform, {shape, as_arguments(*bounds), value.numbers.data()}, free.data());
      if (violation) {
        report_violation(name, value, type, *violation);
        return;
      }
    }
    if (!report_not_finite(name, value, type, shape, free)) value.numbers = std::move(free);
  }

  bool report_not_finite(const std::string& name, const DataValue& value, const lang::SizedType& type,
                         math::Shape shape, const std::vector<double>& free) {
    const auto finite = [](double number) { return std::isfinite(number); };
    const auto place = std::find_if_not(free.begin(), free.end(), finite);
    if (place == free.end()) return false;
    const std::size_t per_number = is_complex(type.type->kind) ? 2 : 1;
    const std::size_t at = static_cast<std::size_t>(place - free.begin()) / per_number;
    math::Violation violation;
    violation.whole = !lang::transform_of(type).elementwise;
    violation.item = at / (free.size() / per_number / shape.count);
    if (violation.whole) {
      violation.what = "lies on the edge of its support, where no unconstrained value is finite";
    } else {
      const std::size_t within = at % (shape.rows * shape.cols);
      violation.row = within % shape.rows;
      violation.col = within / shape.rows;
      const double number = value.numbers[static_cast<std::size_t>(place - free.begin())];
      violation.what = "is " + lang::number_text(number) +
                       (finite(number) ? ", but must lie inside its bounds" : ", but must be finite");
    }
    report_violation(name, value, type, violation);
    return true;
  }

  // One warning, however many there are: a file of a larger project has thousands.
  void warn_of_extra() {
    constexpr std::size_t kNamed = 5;
    const std::unordered_set<std::string_view> declared(declared_.begin(), declared_.end());
    std::vector<std::string_view> extra;
    for (const Data::Item& item : data_.items()) {
      if (is_variable_name(item.name) && !declared.contains(item.name)) extra.push_back(item.name);
    }
    if (extra.empty()) return;
    const std::size_t named = extra.size() <= kNamed + 1 ? extra.size() : kNamed;
    std::string names;
    for (std::size_t i = 0; i < named; ++i) {
      const bool is_last = i + 1 == extra.size();
      names += (i == 0 ? "'" : is_last ? " and '" : ", '") + std::string(extra[i]) + "'";
    }
    if (named < extra.size()) names += " and " + std::to_string(extra.size() - named) + " more";
    result_.diagnostics.push_back({Severity::warning,
                                   "data-extra",
                                   {},
                                   prefix() + names + (extra.size() == 1 ? " is" : " are") +
                                       " not declared in the " +
                                       (accept_ == nullptr ? "data" : "parameters") + " block; " +
                                       (extra.size() == 1 ? "it is" : "they are") + " not used.",
                                   {},
                                   {}});
  }

  Data data_;
  const SourceMap& sources_;
  const Evaluate& evaluate_;
  const AcceptInit* accept_;
  lang::BlockKind block_;
  CheckedData result_;
  std::vector<std::string_view> declared_;
  const lang::Variable* variable_ = nullptr;
  Span span_;
  std::vector<std::pair<std::string, long long>>
      sizes_;  // what was evaluated for the declaration, as text and value
  bool failed_ = false;
};

}  // namespace

const DataValue* BoundData::find(const lang::Variable& variable) const {
  if (variable.id >= by_id_.size() || !by_id_[variable.id]) return nullptr;
  return &*by_id_[variable.id];
}

DataValue BoundData::take(const lang::Variable& variable) {
  DataValue value = std::move(by_id_.at(variable.id)).value();
  by_id_[variable.id].reset();
  return value;
}

void BoundData::set(const lang::Variable& variable, DataValue value) {
  if (variable.id >= by_id_.size()) by_id_.resize(variable.id + 1);
  by_id_[variable.id] = std::move(value);
}

CheckedData check_data(const lang::Program& program, Data data, const SourceMap& sources,
                       const Evaluate& evaluate) {
  return Checker(std::move(data), sources, evaluate).check(program);
}

Diagnostics check_inits(const lang::Program& program, Data inits, const SourceMap& sources,
                        const Evaluate& evaluate, const AcceptInit& accept) {
  return Checker(std::move(inits), sources, evaluate, &accept).check(program).diagnostics;
}

std::optional<Error> data_error(const Diagnostics& diagnostics) {
  std::string message;
  std::string hint;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::error) continue;
    message += (message.empty() ? "" : "\n") + diagnostic.message;
    if (hint.empty()) hint = diagnostic.hint;
  }
  if (message.empty()) return {};
  return Error(ErrorKind::bad_input, message, hint);
}

}  // namespace kullback::model
