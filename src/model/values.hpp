// Between the numbers of files and the values of the tape.
#pragma once

#include <span>

#include "math/type.hpp"
#include "model/data.hpp"
#include "tape/record/builder.hpp"
#include "tape/record/value.hpp"

namespace kullback::model {

// Item i of an array with `count` items and `rank` dimensions; a tuple's slots come as arrays over all
// tuples.
DataValue item_of(const DataValue& data, std::size_t rank, std::size_t i, std::size_t count);

// Data in the layout that check_data makes.
tape::Value to_value(DataValue data, const math::Type& type, tape::Builder& builder);
DataValue to_data(const tape::Value& value, const tape::Builder& builder);  // of no tuple

// As a file has it, and check_data takes it.
DataValue to_file_value(const tape::Value& value, const tape::Builder& builder);

// Numbers of data as a file has them, row-major, from `first` on: as many as there is room for.
void copy_file_numbers(const tape::Value& value, const tape::Builder& builder, std::size_t first,
                       std::span<double> to);

// The values with their numbers alone as constants of another builder: what else was computed is left behind.
// Numbers that both builders can share are not copied, and each variable's lie side by side.
tape::Value in_place(const tape::Value& value, const tape::Builder& from, tape::Builder& to);

// The value with its numbers as constants of another builder.
tape::Value as_constants(const tape::Value& value, const tape::Builder& from, tape::Builder& to);

}  // namespace kullback::model
