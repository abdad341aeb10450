// What predictions are worth: exact figures of equal mixtures of normals, and of probabilities of classes.
// Pure functions of numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::deep {

// (1/K) sum_k N(mean_k, variance_k): what the K draws of a posterior say of one row.
struct NormalMixture {
  std::span<const double> means;
  std::span<const double> variances;
  // Of closed forms: the part of each variance that is uncertainty of the mean; empty: none of it.
  std::span<const double> mean_variances = {};
};

struct VarianceSplit {
  double mean = 0;
  double aleatoric = 0;  // mean of the draws' variances (less what is uncertainty of their means): noise
  double epistemic = 0;  // variance of the draws' means, and their uncertainty: what more data would remove
};
VarianceSplit split_variance(const NormalMixture& mixture);
double log_density(const NormalMixture& mixture, double y);
double cdf(const NormalMixture& mixture, double y);
// The y with cdf(y) = p, 0 < p < 1, to the last digits.
double quantile(const NormalMixture& mixture, double p);
// Continuous ranked probability score, the integral of (cdf(x) - [x >= y])^2: smaller is better.
double crps(const NormalMixture& mixture, double y);

// Of K draws' probabilities of C classes, [K, C] in rows: nats.
struct EntropySplit {
  std::vector<double> probs;  // of the mixture
  double total = 0;           // its entropy
  double aleatoric = 0;       // mean of the draws' entropies
  double epistemic = 0;       // mutual information of class and parameters: total - aleatoric, at least 0
};
EntropySplit split_entropy(std::span<const double> probs, std::size_t classes);

// One row's probabilities and class: sum over classes of (p_c - [c = y])^2.
double brier(std::span<const double> probs, std::size_t y);

struct ReliabilityBin {
  double low = 0;  // of the confidence; up to the next bin's
  std::size_t rows = 0;
  double confidence = 0;  // mean probability of the likeliest class
  double accuracy = 0;    // share of rows where that class is right
};
// Equal bins of [0, 1]; a confidence on an edge belongs to the bin below it.
std::vector<ReliabilityBin> reliability(std::span<const double> confidence, const std::vector<bool>& is_right,
                                        std::size_t bins);
// Expected calibration error: the mean over rows of |accuracy - confidence| of their bins.
double calibration_error(std::span<const ReliabilityBin> bins);

// The probability that a number of `positive` is larger than one of `negative`; ties count half. NaN where
// one of them is empty.
double auroc(std::span<const double> positive, std::span<const double> negative);

}  // namespace kullback::deep
