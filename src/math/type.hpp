// The unsized types of the Stan language, as values: what a signature or an expression has.
// A type is a kind under `array_rank` levels of array; a tuple has element types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kullback::math {

enum class Kind : std::uint8_t {
  void_,  // result of a function that returns nothing
  int_,
  real,
  complex,
  vector,
  row_vector,
  matrix,
  complex_vector,
  complex_row_vector,
  complex_matrix,
  tuple,
  function,  // a function's name used as an argument
};

struct Type {
  Kind kind = Kind::void_;
  std::uint8_t array_rank = 0;
  std::shared_ptr<const std::vector<Type>> elements = nullptr;  // of a tuple, else null

  bool operator==(const Type& other) const;
  bool is_array() const { return array_rank > 0; }
  bool is(Kind k) const { return kind == k && array_rank == 0; }
  // int or arrays of int; tuples of only such things count as discrete but not as int.
  bool is_int() const { return kind == Kind::int_; }
  bool is_discrete() const;
  bool is_complex() const;  // complex or a container of complex
  bool contains_int() const;
};

Type array_of(Type element, int rank = 1);
Type element_of(const Type& array);  // one array level less
Type tuple_of(std::vector<Type> elements);

// As Stan writes it: "array[,] real", "tuple(int, vector)", "void".
std::string to_string(const Type& type);

// The next kind up a chain of promotions: int -> real -> complex, vector -> complex_vector, ...
std::optional<Kind> promoted(Kind kind);

// What it costs to pass `from` where `to` is declared: 0 the same, 1 int -> real, 1 real -> complex
// (containers too), 2 int -> complex, the sum over a tuple's elements; nothing where it cannot be.
std::optional<int> promotion_cost(const Type& from, const Type& to);

// The least type both can be promoted to.
std::optional<Type> common_type(const Type& a, const Type& b);

}  // namespace kullback::math
