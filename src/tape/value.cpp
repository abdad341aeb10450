#include "tape/value.hpp"

namespace kullback::tape {

using math::Kind;
using math::Type;

namespace {

template <class T>
T& unshare(std::shared_ptr<T>& pointer) {
  if (!pointer) {
    pointer = std::make_shared<T>();
  } else if (pointer.use_count() > 1) {
    pointer = std::make_shared<T>(*pointer);
  }
  return *pointer;
}

}  // namespace

std::size_t product(const Dims& dims) {
  std::size_t size = 1;
  for (const std::size_t dim : dims) size *= dim;
  return size;
}

bool is_run(std::span<const Id> ids) {
  for (std::size_t i = 1; i < ids.size(); ++i) {
    if (ids[i] != ids[0] + i) return false;
  }
  return true;
}

Value int_value(int number) { return int_container(Type{Kind::int_}, {}, {number}); }

Value int_array(std::vector<int> numbers) {
  Dims dims{numbers.size()};
  return int_container(math::array_of(Type{Kind::int_}), std::move(dims), std::move(numbers));
}

Value real_value(Id id) { return real_container(Type{Kind::real}, {}, {id}); }

Value real_container(Type type, Dims dims, Ids ids) {
  return {std::move(type), std::move(dims), nullptr, std::make_shared<Ids>(std::move(ids)), nullptr, nullptr};
}

Value int_container(Type type, Dims dims, std::vector<int> numbers) {
  return {std::move(type), std::move(dims), std::make_shared<std::vector<int>>(std::move(numbers)),
          nullptr,         nullptr,         nullptr};
}

std::vector<int>& change_ints(Value& value) { return unshare(value.ints); }
Ids& change_ids(Value& value) { return unshare(value.ids); }
std::vector<Value>& change_parts(Value& value) { return unshare(value.parts); }

std::vector<RowTag>& change_tags(Value& value) {
  std::vector<RowTag>& tags = unshare(value.tags);
  tags.resize(value.ints->size());
  return tags;
}

RowTag int_tag(const Value& value, std::size_t i) {
  return value.tags && i < value.tags->size() ? (*value.tags)[i] : RowTag{};
}

}  // namespace kullback::tape
