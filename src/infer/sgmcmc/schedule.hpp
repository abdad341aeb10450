// What multiplies the gradient from update to update, relative to the first, and which iterations are kept.
#pragma once

#include <cstdint>

#include "infer/sgmcmc/options.hpp"

namespace kullback::infer {

class Schedule final {
 public:
  // Throws Error usage for options without sense.
  explicit Schedule(const Options& options);

  std::uint64_t iterations() const { return warmup_ + stages_ + draws_; }
  bool is_warming_up(std::uint64_t iteration) const { return iteration < warmup_; }
  bool is_kept(std::uint64_t iteration) const;
  // Of update `u` of the `updates` of an iteration.
  double factor(std::uint64_t iteration, std::uint64_t u, std::uint64_t updates) const;
  // The largest one of a kept iteration.
  double largest_kept() const;
  // The last one.
  double last() const;
  bool is_cyclical() const { return kind_ == SgSchedule::cyclical; }

 private:
  std::uint64_t cycle() const { return exploring_ + sampling_; }
  double cosine(double share) const;
  double decayed(double iteration) const;

  SgSchedule kind_;
  std::uint64_t warmup_;
  std::uint64_t draws_;
  std::uint64_t thin_;
  double decay_;
  double delay_;
  std::uint64_t exploring_ = 0;  // iterations of a cycle that are not kept
  std::uint64_t sampling_ = 0;   // and those that are
  std::uint64_t stages_ = 0;     // exploring iterations of all cycles
};

}  // namespace kullback::infer
