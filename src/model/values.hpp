// Between the numbers of files and the values of the tape.
#pragma once

#include "math/type.hpp"
#include "model/data.hpp"
#include "tape/builder.hpp"
#include "tape/value.hpp"

namespace kullback::model {

// Item i of an array with `count` items and `rank` dimensions; a tuple's slots come as arrays over all
// tuples.
DataValue item_of(const DataValue& data, std::size_t rank, std::size_t i, std::size_t count);

// Data in the layout that check_data makes.
tape::Value to_value(const DataValue& data, const math::Type& type, tape::Builder& builder);
DataValue to_data(const tape::Value& value, const tape::Builder& builder);  // of no tuple

// As a file has it, and check_data takes it.
DataValue to_file_value(const tape::Value& value, const tape::Builder& builder);

// The value with its numbers as constants of another builder.
tape::Value as_constants(const tape::Value& value, const tape::Builder& from, tape::Builder& to);

}  // namespace kullback::model
