// Points at which all terms are evaluated once, and which serve the quadrature of many sites: a site is a
// function of few directions, so that one lattice of points in a plane of the whole space is, in each site's
// own directions, a lattice too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "infer/ep/gaussian.hpp"
#include "infer/ep/sites.hpp"

namespace kullback::infer {

struct Frame {
  std::vector<std::uint32_t> sites;  // whose integrals are taken over these points
  // Point k is the mean + directions * steps[k].
  std::size_t rank = 0;
  std::vector<double> directions;  // dim * rank, column after column
  std::vector<double> steps;       // point after point, rank numbers each
  bool is_lattice = true;          // else: the points are draws from the joint Gaussian

  std::size_t count() const { return rank == 0 ? 0 : steps.size() / rank; }
};

// Sites with at most so many directions are integrated over lattices, others over draws.
inline constexpr std::size_t kMostLatticeDirections = 3;
// A lattice covers |v| below this, by the number of directions.
double lattice_reach(std::size_t rank);

struct FrameSeed {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
};

// Frames for all sites (but those with views that are not finite); `views` are theirs. The same for the same
// arguments.
std::vector<Frame> make_frames(const std::vector<Site>& sites, const std::vector<SiteView>& views,
                               const JointGaussian& joint, const FrameSeed& seed);

}  // namespace kullback::infer
