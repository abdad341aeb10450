// How wrong an answer is, as far as it can be told: estimates with intervals, what they rest on, a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kullback::certify {

enum class Verdict : unsigned char { met, not_met, cannot_tell };
std::string_view verdict_name(Verdict verdict);  // "met", "not met", "cannot tell"

// The draws that the errors are of.
enum class Certified : unsigned char { raw, reweighted, chains };
std::string_view certified_name(Certified certified);  // "raw", "reweighted", "chains"

// Why a certificate is no better than it is: what programs go by, and a sentence for people.
enum class ReasonCode : unsigned char {
  budget,      // its time ended first
  no_draws,    // the method gave none
  unchecked,   // there was no time to check the draws
  few_draws,   // too few to judge by, or to decide by
  no_starts,   // no chain can start from the draws
  improper,    // the posterior has no moments
  off,         // parameters are off by more than the tolerance
  other_mode,  // there is a mode that the draws do not cover
  uneven_weights,
  heavy_tail,      // of a parameter's weighted values
  wide_intervals,  // of chains that are too short
  stuck,           // chains have not forgotten where they started
  disagree,        // chains do, about where the mass is
  diverged         // transitions of chains did
};
std::string_view reason_name(ReasonCode code);  // "budget", "no-draws", ...

struct Reason {
  ReasonCode code{};
  std::string text;
};

// An error, given minus true: of a location in posterior standard deviations, of a scale on the log scale.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

// What one witness says of one moment.
struct Testimony {
  Interval error;
  bool supports = false;  // it may speak for the answer; else only against it
};

struct Moment {
  double given = 0;  // what the user is told
  std::optional<Testimony> importance;
  std::optional<Testimony> chains;
  Verdict verdict = Verdict::cannot_tell;
};

// One scalar of the parameters block.
struct ParameterCertificate {
  std::string name;
  bool by_quantiles = false;  // heavy tails: location is the median, scale the interquartile range
  Moment location;
  Moment scale;
  double khat = 0;             // the largest of w, w x and w x^2
  double autocorrelation = 0;  // of x and x^2, at the lag from which the chains speak
  Verdict verdict = Verdict::cannot_tell;
};

// A mode that the draws do not cover.
struct OtherMode {
  double log_share = 0;  // of the evidence, by a Gaussian there
  double distance = 0;   // from the draws' centre, in their standard deviations
};

struct ChainFacts {
  std::size_t chains = 0;
  std::size_t transitions = 0;  // of each, after those that set the step size
  double acceptance = 0;
  double autocorrelation = 0;  // the largest
  double rhat = 0;             // of a certificate of chains: the largest
  std::uint64_t divergences = 0;
};

struct Cost {
  std::uint64_t gradients = 0;
  double seconds = 0;
};

struct Certificate {
  double tolerance = 0;
  Verdict verdict = Verdict::cannot_tell;
  Certified certified = Certified::raw;
  std::vector<ParameterCertificate> parameters;
  std::string proposal;  // whose draws were weighted
  double khat = 0;       // of the weights
  double khat_limit = 0;
  double ess = 0;  // of the weights
  std::optional<ChainFacts> chains;
  std::vector<OtherMode> other_modes;
  std::vector<std::string> without_prior;  // parameters: that the posterior is proper was not shown
  std::string evidence;                    // JSON; empty: not known
  std::string stein;                       // likewise
  std::string wasserstein;                 // likewise, on request
  std::vector<Reason> reasons;             // of the verdict, the weightiest first
  std::vector<std::string> notes;          // warnings that decide nothing
  Cost cost;
};

bool has_reason(const Certificate& certificate, ReasonCode code);

// What no such certificate can prove.
std::string_view unproven();

std::string to_json(const Certificate& certificate);
// For the printed summary; lines of at most `width` characters.
std::string certificate_text(const Certificate& certificate, std::size_t width = 80);

}  // namespace kullback::certify
