// How far apart two posteriors are, from draws of both: parameter by parameter and all together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "posterior/posterior.hpp"
#include "stats/divergence/joint.hpp"
#include "stats/divergence/marginal.hpp"

namespace kullback::posterior {

// Draws of one posterior. They are chains, or independent, or have weights.
struct DrawsOf {
  std::string name;  // "eight-fit"
  const Posterior& posterior;
  bool is_markov = true;
};

struct DistanceOptions {
  double level = 0.01;  // the share of equal posteriors that are said to differ
  std::uint64_t seed = 1;
  std::size_t permutations = 999;  // behind each joint test
};

struct ParameterDistance {
  std::string name;  // "theta[1]"
  stats::MarginalDistance apart;
  double first_effective = 0;
  double second_effective = 0;
  bool differs = false;  // at the level, of all tests together
};

enum class DistanceVerdict : unsigned char { none_found, differ, same_draws };

struct Distance {
  std::string first, second;
  DistanceVerdict verdict = DistanceVerdict::none_found;
  double p_value = 1;  // of no difference in anything, corrected for the number of tests
  double level = 0;
  std::vector<ParameterDistance> parameters;  // those furthest beyond their noise first
  std::optional<stats::JointDistances> joint;
  std::size_t first_independent = 0, second_independent = 0;       // draws behind `joint`
  std::string why_no_joint;                                        // a sentence; empty where there is one
  std::vector<std::string> only_in_first, only_in_second;          // names of parameters
  std::vector<std::string> constant;                               // in both, and equal: left out
  double largest_rhat = std::numeric_limits<double>::quiet_NaN();  // of the parameters, in either
  std::string largest_rhat_name;                                   // "tau of eight-fit"
};

// Compares the columns of the same name that are parameters in one of the two and parameters or transformed
// parameters in the other. Throws Error bad_input where there is none that varies, for draws that are too
// few, and for one that is not finite.
Distance distance(const DrawsOf& first, const DrawsOf& second, const DistanceOptions& options = {});

// At most max_rows rows of parameters (0: all).
std::string distance_text(const Distance& distance, std::size_t max_rows);
std::string to_json(const Distance& distance);

}  // namespace kullback::posterior
