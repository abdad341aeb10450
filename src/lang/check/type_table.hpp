// One object per type, so that equal types are equal pointers. The table belongs to a Program: nodes
// point into it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "math/type.hpp"

namespace kullback::lang {

class TypeTable final {
 public:
  using Type = math::Type;

  explicit TypeTable(std::vector<std::unique_ptr<Type>>& store) : store_(store) {}

  const Type* get(math::Kind kind, int array_rank = 0);
  const Type* intern(const Type& type);
  const Type* array_of(const Type* element, int rank = 1);
  const Type* element_of(const Type* array);  // one array level less
  const Type* without_array(const Type* type);
  const Type* tuple_of(std::span<const Type* const> elements, int array_rank = 0);
  const Type* tuple_element(const Type* tuple, std::size_t slot);  // slot from 0

 private:
  static constexpr int kFlatRanks = 8;

  const Type* add(Type type);

  std::vector<std::unique_ptr<Type>>& store_;
  std::array<std::array<const Type*, kFlatRanks>, 16> flat_ = {};
  std::unordered_map<std::string, const Type*> others_;  // tuples, and arrays of many dimensions
};

}  // namespace kullback::lang
