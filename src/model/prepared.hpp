// A program with its data and transformed data: what every draw has in common. Computed once, then shared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/source.hpp"
#include "lang/program.hpp"
#include "model/check_data.hpp"
#include "model/layout.hpp"
#include "tape/record/builder.hpp"
#include "tape/record/value.hpp"
#include "tape/trace/print_hook.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

struct Prepared {
  const lang::Program& program;
  const SourceMap& sources;
  tape::Builder builder;            // the constants that the values refer to
  std::vector<tape::Value> values;  // of data and transformed data, by the variables' ids
  std::size_t dim = 0;              // unconstrained parameters
  Diagnostics warnings;             // about the data
  Layout layout;
  std::size_t parameter_columns = 0;  // constrained numbers of the parameters
};

// Throws Error where the data do not fit or transformed data are refused. `seed` is for `_rng` in transformed
// data; `printer` gets what they print.
std::shared_ptr<const Prepared> prepare(const lang::Program& program, const SourceMap& sources, Data data,
                                        std::uint64_t seed, const tape::Printer* printer = nullptr);

// Sets the data, changed by `change`, and runs transformed data on a tracer of its own, with the same random
// numbers as prepare().
using ChangeData = std::function<tape::Value(const lang::Variable&, tape::Value)>;
void run_transformed_data(const Prepared& prepared, tape::Tracer& tracer, std::uint64_t seed,
                          const ChangeData& change);

// "model.stan:12:3: " and why the statement there was refused.
std::string rejection_text(const SourceMap& sources, const tape::Rejection& rejection);

}  // namespace kullback::model
