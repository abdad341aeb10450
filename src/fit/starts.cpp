#include "fit/starts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"

namespace kullback::fit {

namespace {
std::optional<double> radius_of(const std::string& init) {
  double radius = 0;
  const auto [end, error] = std::from_chars(init.data(), init.data() + init.size(), radius);
  if (error != std::errc() || end != init.data() + init.size()) return std::nullopt;
  if (!(radius >= 0) || radius > 1e6) {
    throw Error(ErrorKind::usage, fmt::format("--init: found {}, but a radius must be between 0 and 1e6.", init));
  }
  return radius;
}
}
std::vector<infer::Start> find_starts(const Request& request, const LoadedModel& model,
                                      const std::vector<std::uint32_t>& chains) {
  std::vector<infer::Start> starts;
  const double r = radius_of(request.init).value();
  for (auto c : chains) {
    infer::Start s; s.seed = request.seed; s.chain = c;
    s.theta.resize(model.density->dim());
    for (int t = 0; t < 100; ++t) {
      Random random(request.seed, c, 2, t);
      for (double& x : s.theta) x = r * (2 * random.uniform() - 1);
      double l; density::Status st; std::vector<double> g(s.theta.size());
      model.density->evaluate({1, s.theta.data(), &l, g.data(), &st});
      if (st == density::Status::ok) break;
    }
    starts.push_back(s);
  }
  return starts;
}
Findings check_start(const LoadedModel&, const infer::Start&) { return {}; }
}
