// What a witness knows of the posterior: its moments, with standard errors.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "certify/certificate.hpp"

namespace kullback::certify {

struct Estimate {
  double value = 0;
  double error = 0;  // standard error
};

struct MomentEstimate {
  Estimate mean;
  Estimate variance;
};

// Quartiles as intervals, from those of the distribution function.
struct QuartileEstimate {
  Interval lower;
  Interval median;
  Interval upper;
};

// What is given to the user.
struct GivenMoments {
  double mean = 0;
  double sd = 0;
  double median = std::numeric_limits<double>::quiet_NaN();  // see add_quartiles()
  double iqr = std::numeric_limits<double>::quiet_NaN();
};

// The error of a given mean and sd, `factor` standard errors to each side.
Interval mean_error(const GivenMoments& given, const MomentEstimate& truth, double factor);
Interval sd_error(const GivenMoments& given, const MomentEstimate& truth, double factor);
// The same of median and interquartile range; the unit is the interquartile range of a normal with sd 1.
Interval median_error(const GivenMoments& given, const QuartileEstimate& truth);
Interval iqr_error(const GivenMoments& given, const QuartileEstimate& truth);

// Values with weights that sum to 1; empty weights: all equal. Quartiles are for those who want them: they
// need a sort.
GivenMoments given_moments(std::span<const double> values, const std::vector<double>& weights);
void add_quartiles(std::span<const double> values, const std::vector<double>& weights, GivenMoments& given);

}  // namespace kullback::certify
