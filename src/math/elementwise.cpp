// The table of elementwise functions, built from functions/elementwise.def at first use.
#include "math/elementwise.hpp"

#include <algorithm>
#include <array>

#include "math/elementwise_kernel.hpp"

namespace kullback::math {

namespace functions {
#define KULLBACK_ELEMENTWISE(name, Functor, arity) \
  struct Functor;                                  \
  extern template Kernels kernels_of<Functor>();
#include "math/functions/elementwise.def"
#undef KULLBACK_ELEMENTWISE
}  // namespace functions

namespace {

constexpr std::size_t kCount = 0
#define KULLBACK_ELEMENTWISE(name, Functor, arity) +1
#include "math/functions/elementwise.def"
#undef KULLBACK_ELEMENTWISE
    ;

Elementwise record(std::string_view name, const functions::Kernels& kernels) {
  return {name, kernels.arity, kernels.value, kernels.partials, kernels.forward, kernels.backward};
}

using Table = std::array<Elementwise, kCount>;

Table make_table() {
  Table table{{
#define KULLBACK_ELEMENTWISE(name, Functor, arity) record(#name, functions::kernels_of<functions::Functor>()),
#include "math/functions/elementwise.def"
#undef KULLBACK_ELEMENTWISE
  }};
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return table;
}

const Table& table() {
  static const Table all = make_table();
  return all;
}

}  // namespace

const Elementwise* find_elementwise(std::string_view name) {
  const auto found =
      std::lower_bound(table().begin(), table().end(), name,
                       [](const Elementwise& entry, std::string_view key) { return entry.name < key; });
  return found != table().end() && found->name == name ? &*found : nullptr;
}

std::span<const Elementwise> all_elementwise() { return table(); }

}  // namespace kullback::math
