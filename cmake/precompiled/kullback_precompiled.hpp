// The headers that most files include, parsed once for all modules: a quarter of a second less for each file. A file still
// includes what it uses; the arrows stage sees to it, as the compiler no longer does.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#if __has_include(<fmt/format.h>)  // not where LibTorch alone exists
#include <fmt/format.h>
#endif
