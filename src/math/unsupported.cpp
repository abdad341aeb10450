#include "math/unsupported.hpp"

#include <algorithm>
#include <array>

namespace kullback::math {

namespace {

struct Unsupported {
  std::string_view name;
  std::string_view why;
};

#define KULLBACK_UNSUPPORTED(name, why) Unsupported{#name, why},
constexpr auto kUnsupported = std::to_array<Unsupported>({
#include "math/unsupported.def"
});
#undef KULLBACK_UNSUPPORTED

static_assert(std::ranges::is_sorted(kUnsupported, {}, &Unsupported::name));

}  // namespace

std::string_view why_unsupported(std::string_view name) {
  const auto found = std::ranges::lower_bound(kUnsupported, name, {}, &Unsupported::name);
  return found != kUnsupported.end() && found->name == name ? found->why : std::string_view{};
}

}  // namespace kullback::math
