// What log p - log q at independent draws of q says of the log evidence (the log normalising constant of p):
// lower bounds, an importance-sampling estimate, and upper figures where the weights allow them.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kullback::certify {

struct EvidenceFigure {
  double value = 0;
  double standard_error = 0;
  double lower = 0;  // of the interval; NaN where it would mean nothing
  double upper = 0;
};

// E log((w_1 + ... + w_K) / K): a lower bound of the log evidence that does not fall as K grows; K = 1 is the
// ELBO (Burda, Grosse, Salakhutdinov 2016).
struct ImportanceBound {
  std::size_t k = 1;
  EvidenceFigure figure;
};

struct EvidenceOptions {
  double level = 0.99;  // of each interval by itself
};

struct Evidence {
  std::size_t draws = 0;
  double level = 0;
  double khat = 0;  // of the weights; 0 where they are equal but for rounding
  EvidenceFigure elbo;
  // K = 10 and 100, where there are 8 groups of K draws. Each is unbiased for its own bound, and none is
  // below the one before it or the ELBO.
  std::vector<ImportanceBound> bounds;
  // log of the mean weight, with the tail smoothed (PSIS) and as it is. Biased low by about half of its
  // squared standard error. The interval, by the delta method, is NaN from khat_threshold(draws) on, for the
  // raw mean from 0.5 on, where the variance is infinite.
  EvidenceFigure smoothed;
  EvidenceFigure raw;
  // Upper figures: only while khat < kUpperKhat, so that what is averaged has a variance. They are plug-in
  // estimates of upper bounds, biased low, thus no bounds themselves.
  std::optional<EvidenceFigure> cubo;   // order 2: log(E w^2) / 2 (Dieng et al. 2017)
  std::optional<EvidenceFigure> renyi;  // order kRenyiOrder: log(E w^(1 - a)) / (1 - a) (Li and Turner 2016)
};

inline constexpr double kUpperKhat = 0.25;
// Of negative orders -1 is the CUBO of order 2; this one lies between it and the log evidence.
inline constexpr double kRenyiOrder = -0.5;

// -inf where p is 0 at a draw. Throws an internal error where there are fewer than 2 draws, or a ratio is NaN
// or +inf: an evaluation that failed is -inf.
Evidence estimate_evidence(std::span<const double> log_ratios, const EvidenceOptions& options = {});

// Bounds on the Wasserstein distances of one scalar's marginals under p and q, in standard deviations of q:
// the mean is wrong by at most w1, the standard deviation by at most w2 (Huggins, Kasprzak, Campbell,
// Broderick 2020). As good as the CUBO in them, which is an estimate: they are figures for people, and
// vacuous at practical gaps.
struct DistanceBounds {
  double w1 = std::numeric_limits<double>::infinity();
  double w2 = std::numeric_limits<double>::infinity();
};
// From the far ends of the intervals of CUBO and ELBO; nothing where there is no CUBO. `values` are the
// scalar's under the draws of q.
std::optional<DistanceBounds> distance_bounds(const Evidence& evidence, std::span<const double> values);
// 0 <= gap, the CUBO of order 2 less the ELBO.
DistanceBounds distance_bounds_of_gap(double gap, std::span<const double> values);

std::string to_json(const Evidence& evidence);

}  // namespace kullback::certify
