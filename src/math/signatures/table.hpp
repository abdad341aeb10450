// The lines of signatures/*.def as tables of parsed patterns.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "math/signatures/pattern.hpp"

namespace kullback::math::pattern {

using Overloads = std::span<const Pattern>;

// A built-in function.
struct Record {
  std::string_view name;
  Overloads overloads;
};

enum class Density : std::uint8_t { none, lpdf, lpmf };
struct Cdfs {
  bool cdf = false, lcdf = false, lccdf = false;
};

// A family of distributions and the names of its functions, whether or not it has them.
struct Distribution {
  std::string_view name;
  Density kind;
  Cdfs cdfs;
  bool has_rng;
  Overloads density;
  Overloads rng;
  struct Names {
    std::string_view density, cdf, lcdf, lccdf, rng;
  } names;
};

const Record* find_record(std::string_view name);  // null: no such function
std::vector<std::string_view> record_names();
std::span<const Distribution> distributions();

}  // namespace kullback::math::pattern
