#include <vector>

#include "infer/algorithm.hpp"

namespace kullback::infer {

#define KULLBACK_METHOD(name) const Method& name##_method();
#include "infer/methods.def"
#undef KULLBACK_METHOD

std::span<const Method* const> methods() {
  static const std::vector<const Method*> all{
#define KULLBACK_METHOD(name) &name##_method(),
#include "infer/methods.def"
#undef KULLBACK_METHOD
  };
  return all;
}

const Method* find_method(std::string_view name) {
  for (const Method* method : methods()) {
    if (method->name == name) return method;
  }
  return nullptr;
}

}  // namespace kullback::infer
