// constant   1
// decaying   (1 + t / delay)^-decay in iterations t: a (b + t)^-decay with a = h delay^decay (Welling and Teh
//            2011). Robbins and Monro's conditions, sum h = inf and sum h^2 < inf, hold for a decay in
//            (1/2, 1]; errors of averages fall fastest, as t^-1/3, with 1/3 (Teh, Thiery, Vollmer 2016).
// cyclical   (1 + cos(pi r)) / 2 with r the part of the cycle that is over (Zhang et al. 2020); draws are
// kept
//            where r is at least --sg-exploration. Noise is added throughout, as the authors do for mixtures.
//            Warm-up has the step size that sampling begins with.
#include "infer/sgmcmc/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "infer/sgmcmc/options.hpp"

namespace kullback::infer {

namespace {

void refuse_unread(const Options& options) {
  const bool has_decay = !options.is_default(option::kSgDecay) || !options.is_default(option::kSgDelay);
  if (has_decay && options[option::kSgSchedule] != SgSchedule::decaying) {
    throw Error(ErrorKind::usage, "--sg-decay and --sg-delay are read by `--sg-schedule decaying` alone.",
                "Add `--sg-schedule decaying`.");
  }
  const bool has_cycles =
      !options.is_default(option::kSgCycles) || !options.is_default(option::kSgExploration);
  if (has_cycles && options[option::kSgSchedule] != SgSchedule::cyclical) {
    throw Error(ErrorKind::usage,
                "--sg-cycles and --sg-exploration are read by `--sg-schedule cyclical` alone.",
                "Add `--sg-schedule cyclical`.");
  }
}

void check(const Options& options) {
  refuse_unread(options);
  if (options[option::kSgSchedule] == SgSchedule::cyclical &&
      options[option::kSgCycles] > options[option::kDraws]) {
    throw Error(ErrorKind::usage,
                fmt::format("--sg-cycles is {}; it must be at most the {} draws.", options[option::kSgCycles],
                            options[option::kDraws]),
                "10 is the default.");
  }
}

}  // namespace

Schedule::Schedule(const Options& options)
    : kind_(options[option::kSgSchedule]),
      warmup_(options[option::kWarmup]),
      draws_(options[option::kDraws]),
      thin_(options[option::kThin]),
      decay_(options[option::kSgDecay]),
      delay_(static_cast<double>(options[option::kSgDelay] > 0
                                     ? options[option::kSgDelay]
                                     : std::max<std::size_t>(1, options[option::kWarmup]))) {
  check(options);
  if (kind_ != SgSchedule::cyclical) return;
  const double explored = options[option::kSgExploration];
  sampling_ = (draws_ + options[option::kSgCycles] - 1) / options[option::kSgCycles];
  exploring_ = static_cast<std::uint64_t>(
      std::ceil(explored / (1 - explored) * static_cast<double>(sampling_) - 1e-9));
  const std::uint64_t cycles = (draws_ + sampling_ - 1) / sampling_;
  stages_ = cycles * exploring_;
}

bool Schedule::is_kept(std::uint64_t iteration) const {
  if (iteration < warmup_) return false;
  const std::uint64_t after = iteration - warmup_;
  if (kind_ != SgSchedule::cyclical) return after % thin_ == 0;
  const std::uint64_t within = after % cycle();
  return within >= exploring_ && (after / cycle() * sampling_ + within - exploring_) % thin_ == 0;
}

double Schedule::cosine(double share) const { return 0.5 * (1 + std::cos(std::numbers::pi * share)); }

double Schedule::decayed(double iteration) const { return std::pow(1 + iteration / delay_, -decay_); }

double Schedule::factor(std::uint64_t iteration, std::uint64_t u, std::uint64_t updates) const {
  const double part = static_cast<double>(u) / static_cast<double>(updates);
  switch (kind_) {
    case SgSchedule::constant: return 1;
    case SgSchedule::decaying: return decayed(static_cast<double>(iteration) + part);
    case SgSchedule::cyclical: break;
  }
  if (iteration < warmup_) return largest_kept();
  const double within = static_cast<double>((iteration - warmup_) % cycle()) + part;
  return cosine(within / static_cast<double>(cycle()));
}

double Schedule::largest_kept() const {
  if (kind_ == SgSchedule::constant) return 1;
  if (kind_ == SgSchedule::decaying) return decayed(static_cast<double>(warmup_));
  return cosine(static_cast<double>(exploring_) / static_cast<double>(cycle()));
}

double Schedule::last() const {
  return kind_ == SgSchedule::decaying ? decayed(static_cast<double>(iterations())) : largest_kept();
}

}  // namespace kullback::infer
