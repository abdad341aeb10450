// The CRPS of a mixture of normals is (Grimit, Gneiting, Berrocal, Johnson 2006)
//   (1/K) sum_k A(y - m_k, v_k) - 1/(2 K^2) sum_jk A(m_j - m_k, v_j + v_k),  A(d, v) = E|N(d, v)|
//   = d (2 Phi(d/s) - 1) + 2 s phi(d/s) with s = sqrt(v).
#include "deep/bnn/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kullback::deep {

namespace {

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

double mean_size(double difference, double variance) {
  if (variance == 0) return std::fabs(difference);
  const double sd = std::sqrt(variance), z = difference / sd;
  return difference * std::erf(z / std::numbers::sqrt2) + 2 * sd * normal_density(z);
}

double density(const NormalMixture& mixture, double y) {
  double sum = 0;
  for (std::size_t k = 0; k < mixture.means.size(); ++k) {
    const double sd = std::sqrt(mixture.variances[k]);
    sum += normal_density((y - mixture.means[k]) / sd) / sd;
  }
  return sum / static_cast<double>(mixture.means.size());
}

double entropy(std::span<const double> probs) {
  double sum = 0;
  for (const double p : probs)
    if (p > 0) sum -= p * std::log(p);
  return sum;
}

}  // namespace

VarianceSplit split_variance(const NormalMixture& mixture) {
  const auto count = static_cast<double>(mixture.means.size());
  VarianceSplit split;
  for (std::size_t k = 0; k < mixture.means.size(); ++k) {
    split.mean += mixture.means[k] / count;
    split.aleatoric += mixture.variances[k] / count;
  }
  for (const double mean : mixture.means)
    split.epistemic += (mean - split.mean) * (mean - split.mean) / count;
  for (const double variance : mixture.mean_variances) {
    split.aleatoric -= variance / count;
    split.epistemic += variance / count;
  }
  return split;
}

double log_density(const NormalMixture& mixture, double y) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t k = 0; k < mixture.means.size(); ++k) {
    const double z = y - mixture.means[k];
    const double term =
        -0.5 * (z * z / mixture.variances[k] + std::log(2 * std::numbers::pi * mixture.variances[k]));
    if (term > largest) {
      sum = sum * std::exp(largest - term) + 1;
      largest = term;
    } else {
      sum += std::exp(term - largest);
    }
  }
  return largest + std::log(sum / static_cast<double>(mixture.means.size()));
}

double cdf(const NormalMixture& mixture, double y) {
  double sum = 0;
  for (std::size_t k = 0; k < mixture.means.size(); ++k)
    sum += normal_cdf((y - mixture.means[k]) / std::sqrt(mixture.variances[k]));
  return sum / static_cast<double>(mixture.means.size());
}

// Newton's steps within a bracket that halves where they leave it. At mean_k +- 9 sd_k each component's cdf
// is 0 or 1 to 1e-18.
double quantile(const NormalMixture& mixture, double p) {
  constexpr double kFar = 9;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t k = 0; k < mixture.means.size(); ++k) {
    const double reach = kFar * std::sqrt(mixture.variances[k]);
    low = std::min(low, mixture.means[k] - reach);
    high = std::max(high, mixture.means[k] + reach);
  }
  double y = split_variance(mixture).mean;
  for (int i = 0; i < 200; ++i) {
    const double excess = cdf(mixture, y) - p;
    (excess > 0 ? high : low) = y;
    if (excess == 0) break;
    double next = y - excess / density(mixture, y);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool is_still = std::fabs(next - y) <= 1e-14 * std::max(std::fabs(next), high - low) || next == y;
    y = next;
    if (is_still) break;
  }
  return y;
}

double crps(const NormalMixture& mixture, double y) {
  const std::size_t count = mixture.means.size();
  double to_y = 0, between = 0;
  for (std::size_t j = 0; j < count; ++j) {
    to_y += mean_size(y - mixture.means[j], mixture.variances[j]);
    between += 0.5 * mean_size(0, 2 * mixture.variances[j]);
    for (std::size_t k = 0; k < j; ++k)
      between += mean_size(mixture.means[j] - mixture.means[k], mixture.variances[j] + mixture.variances[k]);
  }
  const auto size = static_cast<double>(count);
  return to_y / size - between / (size * size);
}

EntropySplit split_entropy(std::span<const double> probs, std::size_t classes) {
  EntropySplit split{.probs = std::vector<double>(classes, 0.0)};
  const std::size_t draws = probs.size() / classes;
  const auto count = static_cast<double>(draws);
  for (std::size_t k = 0; k < draws; ++k) {
    const std::span<const double> draw = probs.subspan(k * classes, classes);
    for (std::size_t c = 0; c < classes; ++c) split.probs[c] += draw[c] / count;
    split.aleatoric += entropy(draw) / count;
  }
  split.total = entropy(split.probs);
  split.epistemic = std::max(0.0, split.total - split.aleatoric);
  return split;
}

double brier(std::span<const double> probs, std::size_t y) {
  double sum = 0;
  for (std::size_t c = 0; c < probs.size(); ++c) {
    const double off = probs[c] - (c == y ? 1.0 : 0.0);
    sum += off * off;
  }
  return sum;
}

std::vector<ReliabilityBin> reliability(std::span<const double> confidence, const std::vector<bool>& is_right,
                                        std::size_t bins) {
  std::vector<ReliabilityBin> result(bins);
  const auto count = static_cast<double>(bins);
  for (std::size_t b = 0; b < bins; ++b) result[b].low = static_cast<double>(b) / count;
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    const double place = std::ceil(confidence[i] * count) - 1;
    ReliabilityBin& bin = result[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))];
    ++bin.rows;
    bin.confidence += confidence[i];
    bin.accuracy += is_right[i] ? 1 : 0;
  }
  for (ReliabilityBin& bin : result) {
    if (bin.rows == 0) continue;
    bin.confidence /= static_cast<double>(bin.rows);
    bin.accuracy /= static_cast<double>(bin.rows);
  }
  return result;
}

double calibration_error(std::span<const ReliabilityBin> bins) {
  double sum = 0, rows = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.rows) * std::fabs(bin.accuracy - bin.confidence);
    rows += static_cast<double>(bin.rows);
  }
  return sum / rows;
}

// Mann and Whitney's statistic by the mean ranks of ties.
double auroc(std::span<const double> positive, std::span<const double> negative) {
  struct Item {
    double value;
    bool is_positive;
  };
  std::vector<Item> items;
  for (const double value : positive) items.push_back({value, true});
  for (const double value : negative) items.push_back({value, false});
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.value < b.value; });
  double below = 0, wins = 0;  // negatives passed so far
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin;
    double here_positive = 0, here_negative = 0;
    for (; end < items.size() && items[end].value == items[begin].value; ++end)
      (items[end].is_positive ? here_positive : here_negative) += 1;
    wins += here_positive * (below + 0.5 * here_negative);
    below += here_negative;
    begin = end;
  }
  return wins / (static_cast<double>(positive.size()) * static_cast<double>(negative.size()));
}

}  // namespace kullback::deep
