// Values as the columns of CmdStan's files: all containers by columns (the first index runs fastest), a
// complex number as two, a tuple's slots one after another.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lang/program.hpp"
#include "tape/record/builder.hpp"
#include "tape/record/value.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

std::size_t count_columns(const tape::Value& value);
// "theta.1", "z.real", "pair:1".
void append_names(const std::string& name, const tape::Value& value, std::vector<std::string>& names);
// Returns the place behind the last number written.
double* append_numbers(const tape::Value& value, const tape::Builder& builder, double* to);
// The other way, for real kinds: takes the value's numbers from `numbers`; `used` counts them.
void fill_numbers(tape::Value& value, std::span<const tape::Id> numbers, std::size_t& used);

// Variables of a block's top level.
std::vector<const lang::Variable*> declared_in(const lang::Program& program, lang::BlockKind block);

// Gives the parameters their constrained values, the numbers of their columns.
void set_parameters(tape::Tracer& tracer, std::span<const tape::Id> columns);

}  // namespace kullback::model
