// One gradient of eight schools through the C interface against the same call in C++, in nanoseconds: the
// least of many rounds, which is what the call costs where nothing else disturbs it.
#include <kullback.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "fit/loaded_model.hpp"

namespace {

template <class Call>
double least_nanoseconds(std::size_t points, const Call& call) {
  constexpr int kRounds = 2000;
  constexpr int kCalls = 100;
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
    least = std::min(least, spent.count() / kCalls / static_cast<double>(points));
  }
  return least;
}

}  // namespace

int main() {
  const std::string folder = KULLBACK_SOURCE_DIR "/examples/";
  const std::string program = kullback::read_file(folder + "eight_schools.stan");
  const std::string data = kullback::read_file(folder + "eight_schools.json");
  const auto understood = kullback::fit::understand_program({.program = "model.stan", .data = ""}, program);
  const auto cpp = kullback::fit::load_model_with(*understood, {}, {}, data, "data");
  kb_model* c = nullptr;
  if (kb_model_new(program.c_str(), "model.stan", data.c_str(), nullptr, &c, nullptr) != KB_OK) return 1;
  const std::size_t dim = kb_model_dim(c);
  for (const std::size_t points : {std::size_t{1}, std::size_t{64}}) {
    const std::vector<double> theta(dim * points, 0.3);
    std::vector<double> gradient(dim * points), values(points);
    std::vector<kullback::density::Status> cpp_status(points);
    std::vector<kb_status> status(points);
    const double in_cpp = least_nanoseconds(points, [&] {
      cpp.density->evaluate({points, theta.data(), values.data(), gradient.data(), cpp_status.data()});
    });
    const double in_c = least_nanoseconds(points, [&] {
      kb_model_log_density(c, points, theta.data(), 1, 0, values.data(), gradient.data(), status.data(),
                           nullptr);
    });
    std::printf("%zu points: C++ %.1f ns, C interface %.1f ns per gradient\n", points, in_cpp, in_c);
  }
  kb_model_free(c);
}
