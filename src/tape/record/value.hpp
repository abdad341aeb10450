// Values while a program is traced: ints are known numbers, reals are numbers on the tape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "math/type.hpp"
#include "tape/record/row_tag.hpp"

namespace kullback::tape {

// A number on the tape: a constant, or a slot that depends on the parameters.
using Id = std::uint32_t;
inline constexpr Id kConstantBit = 0x8000'0000U;
inline bool is_constant(Id id) { return (id & kConstantBit) != 0; }

using Dims = std::vector<std::size_t>;  // array sizes, then the rows and columns of a vector or matrix
using Ids = std::vector<Id>;
bool is_run(std::span<const Id> ids);  // each is one more than the one before

std::size_t product(const Dims& dims);

// Copies share their numbers until one is changed. Order of numbers: items of arrays one after another (last
// array index fastest), matrices by columns, a complex number as two.
struct Value {
  math::Type type;
  Dims dims;
  std::shared_ptr<std::vector<int>> ints;     // kind int
  std::shared_ptr<Ids> ids;                   // real kinds and complex kinds
  std::shared_ptr<std::vector<Value>> parts;  // a tuple's slots; of an array of tuples its tuples
  std::shared_ptr<std::vector<RowTag>> tags;  // rows of ints; null: none (numbers on the tape know their own)
  std::shared_ptr<std::vector<bool>> gaps = nullptr;  // ints that were never set; null: none

  bool is_set() const { return ints || ids || parts; }
  std::size_t size() const { return product(dims); }  // numbers (complex: pairs), tuples count as one
  std::size_t array_rank() const { return type.array_rank; }
};

Value int_value(int number);
Value int_array(std::vector<int> numbers);
Value real_value(Id id);
// A container of `type` with these sizes and numbers.
Value real_container(math::Type type, Dims dims, Ids ids);
Value int_container(math::Type type, Dims dims, std::vector<int> numbers);

std::vector<int>& change_ints(Value& value);  // not shared any more
void set_int(Value& value, std::size_t i, int number);
void set_gap(Value& value, std::size_t i);
inline bool is_gap(const Value& value, std::size_t i) { return value.gaps && (*value.gaps)[i]; }
bool has_gaps(const Value& value);
Ids& change_ids(Value& value);
std::vector<Value>& change_parts(Value& value);
std::vector<RowTag>& change_tags(Value& value);  // one for each int
RowTag int_tag(const Value& value, std::size_t i);

}  // namespace kullback::tape
