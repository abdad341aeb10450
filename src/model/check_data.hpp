// Data against the data block of a program: everything a program demands of its data, before anything runs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "lang/program.hpp"
#include "model/data.hpp"

namespace kullback::model {

// Values of variables, in the layout of math/array_op.hpp: items of arrays one after another, matrices
// column-major, a complex number as two numbers. `dims` are those of the declaration: array sizes, then rows
// and columns.
class BoundData final {
 public:
  const DataValue* find(const lang::Variable& variable) const;  // null: not known
  void set(const lang::Variable& variable, DataValue value);
  DataValue take(const lang::Variable& variable);  // it is not known any more

 private:
  std::vector<std::optional<DataValue>> by_id_;
};

// The value of a size or bound, given the variables declared before it. Throws Error where there is none.
using Evaluate = std::function<DataValue(const lang::Expr& expression, const BoundData& so_far)>;

struct CheckedData {
  BoundData values;  // complete where there is no error
  // Codes: data-missing, data-extra (a warning), data-value, data-type, data-shape, data-size,
  // data-constraint. Each message names the place in the data and that in the program; the span is the
  // declaration's.
  Diagnostics diagnostics;
};

CheckedData check_data(const lang::Program& program, Data data, const SourceMap& sources,
                       const Evaluate& evaluate);

// Initial values of parameters, checked in the order of the parameters block as data are, with Stan's checks
// of inits. A parameter may be missing. `accept` is called for each before the bounds of later ones are
// evaluated: with the free numbers of a value in place of its own, or null where it is missing.
using AcceptInit = std::function<void(const lang::Variable& parameter, const DataValue* free)>;
Diagnostics check_inits(const lang::Program& program, Data inits, const SourceMap& sources,
                        const Evaluate& evaluate, const AcceptInit& accept);

// All errors as one, a line each; none where there is no error.
std::optional<Error> data_error(const Diagnostics& diagnostics);

// An Evaluate for sizes and bounds without function calls: literals, variables, + - * / %/% %, minus,
// indexing by numbers, slots of tuples.
DataValue evaluate_simple(const lang::Expr& expression, const BoundData& so_far);

}  // namespace kullback::model
