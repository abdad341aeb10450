#include "lang/check/type_table.hpp"

#include <cstdint>
#include <utility>

namespace kullback::lang {

using math::Kind;
using math::Type;

namespace {

void append_bytes(std::string& key, std::uintptr_t value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

const Type* TypeTable::add(Type type) {
  store_.push_back(std::make_unique<Type>(std::move(type)));
  return store_.back().get();
}

const Type* TypeTable::get(Kind kind, int array_rank) {
  Type type{kind, static_cast<std::uint8_t>(array_rank)};
  if (array_rank < kFlatRanks) {
    const Type*& slot = flat_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(array_rank)];
    if (!slot) slot = add(std::move(type));
    return slot;
  }
  std::string key = "a";
  append_bytes(key, static_cast<std::uintptr_t>(kind));
  append_bytes(key, static_cast<std::uintptr_t>(array_rank));
  const Type*& slot = others_[key];
  if (!slot) slot = add(std::move(type));
  return slot;
}

const Type* TypeTable::intern(const Type& type) {
  if (!type.elements) return get(type.kind, type.array_rank);
  std::vector<const Type*> elements;
  elements.reserve(type.elements->size());
  for (const Type& element : *type.elements) elements.push_back(intern(element));
  return tuple_of(elements, type.array_rank);
}

const Type* TypeTable::tuple_of(std::span<const Type* const> elements, int array_rank) {
  std::string key = "t";
  append_bytes(key, static_cast<std::uintptr_t>(array_rank));
  for (const Type* element : elements) append_bytes(key, reinterpret_cast<std::uintptr_t>(element));
  const Type*& slot = others_[key];
  if (!slot) {
    std::vector<Type> values;
    values.reserve(elements.size());
    for (const Type* element : elements) values.push_back(*element);
    Type type = math::tuple_of(std::move(values));
    type.array_rank = static_cast<std::uint8_t>(array_rank);
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::array_of(const Type* element, int rank) {
  Type type = *element;
  type.array_rank = static_cast<std::uint8_t>(type.array_rank + rank);
  return intern(type);
}

const Type* TypeTable::element_of(const Type* array) {
  Type type = *array;
  type.array_rank = static_cast<std::uint8_t>(type.array_rank - 1);
  return intern(type);
}

const Type* TypeTable::without_array(const Type* type) {
  if (type->array_rank == 0) return type;
  Type bare = *type;
  bare.array_rank = 0;
  return intern(bare);
}

const Type* TypeTable::tuple_element(const Type* tuple, std::size_t slot) {
  return intern((*tuple->elements)[slot]);
}

}  // namespace kullback::lang
