#include "fit/starts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "infer/start.hpp"
#include "model/data.hpp"
#include "model/unconstrain.hpp"

namespace kullback::fit {

namespace {

constexpr double kDefaultRadius = 2;
constexpr const char* kPathfinder = "pathfinder";

std::optional<double> radius_of(const std::string& init) {
  double radius = 0;
  const auto [end, error] = std::from_chars(init.data(), init.data() + init.size(), radius);
  if (error != std::errc() || end != init.data() + init.size()) return std::nullopt;
  if (!(radius >= 0) || radius > 1e6) {
    throw Error(ErrorKind::usage,
                fmt::format("--init: found {}, but a radius must be between 0 and 1e6.", init));
  }
  return radius;
}

}  // namespace

}  // namespace kullback::fit
