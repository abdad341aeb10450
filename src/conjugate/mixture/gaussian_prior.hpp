// Priors of Gaussian components: mu ~ N(mean, (mean_precision * precision)^-1), precision ~ Wishart(degrees,
// scale^-1) or gamma distributions in its place; defaults as scikit-learn's BayesianGaussianMixture.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "base/option.hpp"
#include "conjugate/data.hpp"

namespace kullback::conjugate::mixture {

namespace option {
inline constexpr auto kMeanPrecision =
    NumberOption("mean_precision", 1, "How many rows the prior of a component's mean is worth").above(0);
inline constexpr auto kDegrees =
    NumberOption("degrees", "Degrees of freedom of the prior of precisions (default: number of columns)")
        .above(0)
        .hinted("Leave it out to have the number of columns.");
inline constexpr auto kMean =
    TextOption("mean", "Prior mean: one number or one for each column (default: mean of the data)")
        .shown_as("NUMBERS");
inline constexpr auto kCovariancePrior =
    TextOption(
        "covariance_prior",
        "Prior scale of covariances: variances, one number or one for each column (default: covariance "
        "of the data)")
        .shown_as("NUMBERS");
inline constexpr auto kCovarianceScale = NumberOption("covariance_scale", 1, "Factor of that scale").above(0);
}  // namespace option

inline constexpr const OptionRecord* kPriorOptions[] = {&option::kMeanPrecision, &option::kDegrees,
                                                        &option::kMean, &option::kCovariancePrior,
                                                        &option::kCovarianceScale};

struct GaussianOptions {
  double mean_precision = 1;
  double degrees = 0;
  std::vector<double> mean = {};       // empty: of the data
  std::vector<double> variances = {};  // empty: of the data
  double scale = 1;                    // times the covariance of the data
};
GaussianOptions read_gaussian_options(const OptionValues& values, std::size_t columns, double least_degrees);

struct SampleMoments {
  std::vector<double> mean;
  std::vector<double> variances;    // of constant columns: 1e-6 of the mean of the others
  std::vector<double> correlation;  // row-major; empty where not wanted
  std::vector<std::size_t> constant;
  double shrinkage = 0;  // part by which correlations were drawn to 0 to be those of a regular matrix
};
// Missing cells are left out, of covariances pairs of them. Throws Error bad_input where all is constant.
SampleMoments sample_moments(const Batch& sample, bool wants_correlation);

// Findings about constant and collinear columns.
Findings sample_findings(std::span<const double> constant, double shrinkage);

// Fills rows (padded to a multiple of 4 columns) and columns of the workspace with x - centre, 0 for missing
// cells, and lists the units that have some.
struct Workspace;
void load_centred(const Batch& units, std::span<const double> centre, Workspace& workspace);
// The observed and missing columns that some of the incomplete units have in common.
struct Pattern {
  std::vector<std::ptrdiff_t> observed;
  std::vector<std::ptrdiff_t> missing;
  std::vector<std::size_t> units;
};
std::vector<Pattern> missing_patterns(const Batch& units, const Workspace& workspace);
std::size_t gaussian_chunk(std::size_t columns);
// Cells over sds about the mean, 0 where missing.
std::vector<double> standardised(const Batch& sample, std::span<const double> centre,
                                 std::span<const double> variances);
std::string column_name(const Shape& shape, std::size_t column);

}  // namespace kullback::conjugate::mixture
