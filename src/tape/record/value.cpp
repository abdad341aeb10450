#include "tape/record/value.hpp"

#include <algorithm>
#include <limits>
#include <new>

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
  if (std::find(dims.begin(), dims.end(), std::size_t{0}) != dims.end()) return 0;
  std::size_t size = 1;
  for (const std::size_t dim : dims) {
    if (__builtin_mul_overflow(size, dim, &size)) throw std::bad_alloc();
  }
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

void set_int(Value& value, std::size_t i, int number) {
  change_ints(value)[i] = number;
  if (value.gaps) unshare(value.gaps)[i] = false;
}

// What is read of a gap all the same is the number that Stan puts there.
void set_gap(Value& value, std::size_t i) {
  change_ints(value)[i] = std::numeric_limits<int>::min();
  std::vector<bool>& gaps = unshare(value.gaps);
  gaps.resize(value.ints->size());
  gaps[i] = true;
}

bool has_gaps(const Value& value) {
  return value.gaps && std::find(value.gaps->begin(), value.gaps->end(), true) != value.gaps->end();
}

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
