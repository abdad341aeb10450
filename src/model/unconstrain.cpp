// Each parameter, once its free numbers are known, is constrained again by the Tracer, so that the bounds of
// later parameters see the value that the model will see.
#include "model/unconstrain.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "model/check_data.hpp"
#include "model/columns.hpp"
#include "model/values.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

using lang::BlockKind;

namespace {

// Free numbers in the order of the coordinates: a tuple's slots together, tuples of an array one after
// another.
void append_free(const DataValue& value, std::vector<double>& free) {
  if (value.kind != DataKind::tuple) {
    free.insert(free.end(), value.numbers.begin(), value.numbers.end());
    return;
  }
  const std::size_t count = element_count(value.dims);
  for (std::size_t i = 0; i < count; ++i) {
    for (const DataValue& slot : value.slots) append_free(item_of(slot, value.dims.size(), i, count), free);
  }
}

class Point final {
 public:
  Point(const Prepared& prepared, std::span<const double> fallback)
      : builder_(prepared.builder),
        tracer_(prepared.program, prepared.sources, builder_, {.jacobian = false}),
        theta_(fallback.begin(), fallback.end()) {
    tracer_.set_values(prepared.values);
    std::size_t first = 0;
    for (const lang::Stmt* stmt : prepared.program.block(BlockKind::parameters)) {
      const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
      const std::size_t size = tracer_.free_count(*variable.declared);
      places_[&variable] = {stmt, first, size};
      first += size;
    }
  }

  DataValue evaluate(const lang::Expr& expression) {
    try {
      return to_data(tracer_.eval(expression), builder_);
    } catch (const tape::Rejection& rejection) {
      throw Error(ErrorKind::bad_input, rejection.message);
    }
  }

  void set(const lang::Variable& parameter, const DataValue* value) {
    const Place place = places_.at(&parameter);
    if (value != nullptr) {
      std::vector<double> free;
      append_free(*value, free);
      std::copy(free.begin(), free.end(), theta_.begin() + static_cast<std::ptrdiff_t>(place.first));
    }
    tape::Ids ids;
    for (std::size_t i = 0; i < place.size; ++i) ids.push_back(builder_.constant(theta_[place.first + i]));
    std::size_t used = 0;
    tracer_.declare_parameter(*place.stmt, ids, used);
  }

  std::vector<double> take() && { return std::move(theta_); }

 private:
  struct Place {
    const lang::Stmt* stmt = nullptr;
    std::size_t first = 0;  // coordinate
    std::size_t size = 0;
  };

  tape::Builder builder_;
  tape::Tracer tracer_;
  std::vector<double> theta_;
  std::unordered_map<const lang::Variable*, Place> places_;
};

}  // namespace

Unconstrained unconstrain(const Prepared& prepared, Data inits, std::span<const double> fallback) {
  if (fallback.size() != prepared.dim)
    throw Error(ErrorKind::internal, "unconstrain: the fallback has another size than the model");
  Point point(prepared, fallback);
  Unconstrained result;
  try {
    result.warnings = check_inits(
        prepared.program, std::move(inits), prepared.sources,
        [&](const lang::Expr& expression, const BoundData&) { return point.evaluate(expression); },
        [&](const lang::Variable& parameter, const DataValue* free) { point.set(parameter, free); });
  } catch (const tape::Rejection& rejection) {
    throw Error(ErrorKind::bad_input, rejection_text(prepared.sources, rejection),
                "Give initial values for the parameters that this bound depends on.");
  }
  if (auto error = data_error(result.warnings)) throw Error(*error);
  result.theta = std::move(point).take();
  return result;
}

std::vector<double> unconstrain_columns(const Prepared& prepared, const double* columns,
                                        const std::string& name) {
  tape::Builder builder = prepared.builder;
  tape::Tracer tracer(prepared.program, prepared.sources, builder, {.jacobian = false});
  tracer.set_values(prepared.values);
  tape::Ids numbers(prepared.parameter_columns);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = builder.constant(columns[i]);
  Data values(name);
  std::size_t used = 0;
  for (const lang::Variable* variable : declared_in(prepared.program, BlockKind::parameters)) {
    tape::Value value = tracer.unset(*variable->declared);
    fill_numbers(value, numbers, used);
    values.add(std::string(variable->name), to_file_value(value, builder));
  }
  const std::vector<double> none(prepared.dim);
  return unconstrain(prepared, std::move(values), none).theta;
}

}  // namespace kullback::model
