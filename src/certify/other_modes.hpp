// A look for modes that an approximation has missed: climbs from points that know nothing of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "certify/certificate.hpp"
#include "density/log_density.hpp"

namespace kullback::certify {

struct Terms;  // certify/certify.hpp

struct Climb {
  std::vector<double> start;
  std::vector<double> end;
  std::uint32_t name = 0;  // of its random stream
};

struct ModeSearch {
  std::vector<Climb> climbs;
  std::uint64_t gradients = 0;
};

// What the draws cover.
struct Covered {
  std::span<const double> center;
  std::span<const double> sd;
  double log_evidence = 0;
};

// L-BFGS from random points in (-2, 2), as chains start.
ModeSearch search_modes(density::LogDensity& density, std::uint64_t seed);
// The same from points in a box of kBoxSds standard deviations around the draws, to each side.
ModeSearch search_around(density::LogDensity& density, std::uint64_t seed, std::span<const double> center,
                         std::span<const double> sd);

// Those further than kFarSds standard deviations from the draws in some coordinate, with a share of the
// evidence by which a mean would be off by more than a tenth of the tolerance. Climbs that ended so far away
// are made again, with Gaussians along the path; adds their gradients.
std::vector<OtherMode> uncovered_modes(density::LogDensity& density, const ModeSearch& search,
                                       const Covered& covered, const Terms& terms, std::uint64_t& gradients);

inline constexpr double kFarSds = 5;
inline constexpr double kBoxSds = 10;

}  // namespace kullback::certify
