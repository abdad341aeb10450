#include "model/simulate.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "model/columns.hpp"
#include "model/simulation_engine.hpp"
#include "model/values.hpp"

namespace kullback::model {

using lang::BlockKind;

namespace {

double* append_block(const Prepared& prepared, BlockKind block, const SimulationEngine& engine, double* row) {
  for (const lang::Variable* variable : declared_in(prepared.program, block))
    row = append_numbers(engine.tracer().get(*variable), engine.builder(), row);
  return row;
}

}  // namespace

Simulator::~Simulator() = default;

Simulator::Simulator(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)), engine_(std::make_unique<SimulationEngine>(*prepared_)) {
  for (const BlockKind block :
       {BlockKind::parameters, BlockKind::transformed_parameters, BlockKind::generated_quantities}) {
    for (const lang::Variable* variable : declared_in(prepared_->program, block))
      append_names(std::string(variable->name), engine_->tracer().unset(*variable->declared), names_);
  }
  for (const RandomVariable& variable : engine_->variables()) {
    if (!variable.is_parameter) simulated_.emplace_back(variable.variable->name);
  }
}

bool Simulator::draw(Random& random, double* row) {
  message_.clear();
  std::fill_n(row, names_.size(), std::numeric_limits<double>::quiet_NaN());
  engine_->draw(random);
  row = append_block(*prepared_, BlockKind::parameters, *engine_, row);
  row = append_block(*prepared_, BlockKind::transformed_parameters, *engine_, row);
  try {
    engine_->tracer().run(BlockKind::generated_quantities);
  } catch (const tape::Rejection& rejection) {
    message_ = rejection_text(prepared_->sources, rejection);
    return false;
  }
  append_block(*prepared_, BlockKind::generated_quantities, *engine_, row);
  return true;
}

Data Simulator::values_of(BlockKind block, std::string name) const {
  Data data(std::move(name));
  for (const lang::Variable* variable : declared_in(prepared_->program, block))
    data.add(std::string(variable->name),
             to_file_value(engine_->tracer().get(*variable), engine_->builder()));
  return data;
}

Data Simulator::data() const { return values_of(BlockKind::data, "simulated data"); }
Data Simulator::params() const { return values_of(BlockKind::parameters, "simulated parameters"); }

}  // namespace kullback::model
