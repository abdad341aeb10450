// What the timers of other systems share: they print what `kullback density --repeat` prints, so that one
// script reads all.
#pragma once

#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace timer {

// Time of the processor, not of the wall clock: other work on the machine then disturbs less. All here is one
// thread.
inline double processor_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

inline std::string read_file(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string(path) + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

// A JSON array of numbers; "-" is the origin.
inline std::vector<double> read_point(const char* path, std::size_t dim) {
  std::vector<double> point;
  if (std::string(path) == "-") return std::vector<double>(dim, 0.0);
  const std::string text = read_file(path);
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end != at) point.push_back(value);
    at = end == at ? at + 1 : end;
  }
  if (point.size() != dim)
    throw std::runtime_error(std::string(path) + ": needs " + std::to_string(dim) + " numbers");
  return point;
}

inline void print_number(double value) {
  if (std::isfinite(value))
    std::printf("%.17g", value);
  else
    std::printf(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

// `gradient_at(theta, gradient)` returns the log density; theta and gradient have `dim` numbers.
template <class GradientAt>
void report(std::size_t dim, const char* point_path, long repeat, double prepared_ns,
            GradientAt gradient_at) {
  const std::vector<double> theta = read_point(point_path, dim);
  std::vector<double> gradient(dim);
  const double log_density = gradient_at(theta.data(), gradient.data());
  const double start = processor_nanoseconds();
  for (long i = 0; i < repeat; ++i) gradient_at(theta.data(), gradient.data());
  const double taken = processor_nanoseconds() - start;
  std::printf("{\"log_density\": ");
  print_number(log_density);
  std::printf(", \"gradient\": [");
  for (std::size_t i = 0; i < dim; ++i) {
    if (i > 0) std::printf(", ");
    print_number(gradient[i]);
  }
  std::printf("], \"milliseconds_to_prepare\": %.3f", 1e-6 * prepared_ns);
  if (repeat > 0) std::printf(", \"nanoseconds_per_gradient\": %.1f", taken / static_cast<double>(repeat));
  std::printf("}\n");
}

}  // namespace timer
